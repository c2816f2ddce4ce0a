#!/usr/bin/env python3
"""shared.py TALLY NAME: runs golden.py over one golden file of TALLY_TEST_DATA, with the clips it belongs to. Skips loudly if the
variable is not set."""
import os, subprocess, sys

# file: (clips, options that this build can score, more arguments)
FILES = {
    "psnr": ("clips", ".", []),
    "psnr_hvs": ("clips", ".", []),
    "moment": ("clips", ".", []),
    "ansnr": ("clips", ".", []),
    "float_adm": ("clips", ".", []),
    "synth_features": ("synth", "^(psnr|psnr_extra|psnr_hvs|float_psnr|float_moment|float_ansnr|float_adm)$", []),
}

tally, name = sys.argv[1:]
data = os.environ.get("TALLY_TEST_DATA")
if not data:
    print(f"SKIPPED: golden scores of {name}: TALLY_TEST_DATA is not set")
    sys.exit(77)
clips, only, more = FILES[name]
runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.py")
sys.exit(subprocess.run([sys.executable, runner, tally, f"{data}/golden/{name}.json", f"{data}/{clips}", "--only", only,
                         "--models", f"{data}/models", *more]).returncode)
