#!/usr/bin/env python3
"""check_exports.py NM LIBRARY HEADER: the shared library exports the functions of tally.h, all of them and nothing else."""
import re, subprocess, sys

nm, library, header = sys.argv[1:]
listing = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
exported = {line.split()[-1].split("@")[0] for line in listing.splitlines() if line}
declared = set(re.findall(r"^TALLY_API[^;(]*?(\w+)\(", open(header).read(), re.MULTILINE))
for name in sorted(exported - declared):
    print(f"exported but not declared: {name}")
for name in sorted(declared - exported):
    print(f"declared but not exported: {name}")
print(f"{len(exported)} exported, {len(declared)} declared")
sys.exit(exported != declared or not declared)
