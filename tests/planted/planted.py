#!/usr/bin/env python3
"""planted.py SOURCE LEVEL FLAGS… -- LINK…: kernels with one wrong statement each, at one CPU level, must be reported by `tally parity`.

For each defect below the file is copied with the statement replaced, the room's kernels are compiled from the copy as the build
compiles them for LEVEL (FLAGS: compiler and flags), and linked in front of everything else (LINK) into a `tally` whose level is
wrong. `parity` must then end with status 6 and name that request; without a defect it must end with 0."""
import os, subprocess, sys, tempfile

# what is wrong, room, file, statement, what stands there instead
DEFECTS = [
    ("a border index off by one", "motion", "kernels.h", "blurred[1 - lane] = blurred[3 + lane];",
     "blurred[1 - lane] = blurred[2 + lane];"),
    ("truncation for rounding", "vif", "halve.h", "u32 sum = 32768;", "u32 sum = 0;"),
    ("a float sum out of order", "float_ansnr", "kernels.h",
     "return (((outer * g[0] + inner * g[1]) + centre * g[2]) + inner * g[3]) + outer * g[4];",
     "return (((outer * g[4] + inner * g[3]) + centre * g[2]) + inner * g[1]) + outer * g[0];"),
    ("a contracted multiply-add", "float_ansnr", "kernels.h",
     "return (((outer * g[0] + inner * g[1]) + centre * g[2]) + inner * g[3]) + outer * g[4];",
     "return __builtin_fmaf(outer, g[4], ((outer * g[0] + inner * g[1]) + centre * g[2]) + inner * g[3]);"),
    ("a 32-bit accumulator that wraps", "psnr", "kernels.h", "#define psnr_lane_sum u64", "#define psnr_lane_sum u32"),
    ("a window one column short", "cambi", "contrast.h", "lane + reach2 + 1 < (i32)next ? lane + reach2 + 1 : (i32)next",
     "lane + reach2 < (i32)next ? lane + reach2 : (i32)next"),
    ("a skipped last column", "psnr", "kernels.h", "if (whole + (u32)lane < plane.width)",
     "if (whole + (u32)lane + 1 < plane.width)"),
]

source, level, *rest = sys.argv[1:]
compiler, link = rest[:rest.index("--")], rest[rest.index("--") + 1:]


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def build(folder, room, file=None, statement=None, instead=None):
    """The program with the room's kernels of this level compiled anew, from a changed copy of `file`."""
    objects = []
    if file:
        text = open(f"{source}/src/features/{room}/{file}").read()
        if text.count(statement) != 1:
            sys.exit(f"{room}/{file}: the statement to replace stands there {text.count(statement)} times: {statement}")
        os.makedirs(f"{folder}/features/{room}")
        with open(f"{folder}/features/{room}/{file}", "w") as copy:
            copy.write(text.replace(statement, instead))
    for bits in ("8", "16"):
        objects.append(f"{folder}/{bits}.o")
        made = run(*compiler, f"-I{folder}", f"-I{source}/src", f"-DTY_LEVEL={level}", f"-DSAMPLE_BITS={bits}",
                   f'-DTY_ROOM_KERNELS="features/{room}/kernels.h"', "-c", f"{source}/src/kernel/cpu_room.c", "-o", objects[-1])
        if made.returncode:
            sys.exit(made.stdout[-2000:])
    made = run(compiler[0], *objects, *link, "-lm", "-o", f"{folder}/tally")
    if made.returncode:
        sys.exit(made.stdout[-2000:])
    return f"{folder}/tally"


def parity(program, room):
    return run(program, "parity", "--backends", "cpu", "--levels", level, "--features", room)


def main():
    with tempfile.TemporaryDirectory() as folder:
        sound = parity(build(folder, "psnr"), "psnr")
        if sound.returncode != 0:
            sys.exit(f"without a defect parity ends with {sound.returncode}: {sound.stdout[-1000:]}")
    missed = 0
    for what, room, file, statement, instead in DEFECTS:
        with tempfile.TemporaryDirectory() as folder:
            found = parity(build(folder, room, file, statement, instead), room)
        reported = found.returncode == 6 and "values differ, first" in found.stdout
        missed += not reported
        print(f"{what} ({room}): {'reported' if reported else 'MISSED'}\n    {found.stdout.strip().splitlines()[-1][:200]}")
    print(f"{len(DEFECTS)} defects, {missed} missed")
    return 1 if missed else 0


sys.exit(main())
