#!/usr/bin/env python3
"""check_strict_float.py OBJDUMP FILE…: disassembles objects and archives and fails on any fused multiply-add.

One such instruction rounds once where the source says twice, so a single one may change a score."""
import re, subprocess, sys

FUSED = re.compile(r"\s(v?f(n?m(add|sub)|maddsub|msubadd)[0-9]*[sp][sdh]|f(n?m(add|sub))|fml[as]l?2?)\b")


def fused_instructions(objdump, path):
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], capture_output=True, text=True)
    if listing.returncode:
        sys.exit(f"{objdump} {path}: {listing.stderr.strip()}")
    function, count = "?", 0
    for line in listing.stdout.splitlines():
        if line.endswith(">:"):
            function = line.split("<")[1][:-2]
        elif re.search(r":\s", line):
            count += 1
            if FUSED.search(line):
                yield f"{path}: {function}: {line.split(':', 1)[1].strip()}"
    if not count:
        yield f"{path}: no instructions were found, so nothing was checked"


def main():
    objdump, *paths = sys.argv[1:]
    found = [line for path in paths for line in fused_instructions(objdump, path)]
    print("\n".join(found[:20]))
    print(f"{len(paths)} files, {len(found)} problems")
    return 1 if found or not paths else 0


sys.exit(main())
