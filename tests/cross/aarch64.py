#!/usr/bin/env python3
"""aarch64.py SOURCE FOLDER DIGEST: builds the inside of Tally for 64-bit Arm in FOLDER and runs it under qemu: the NEON level
against scalar on every kernel, and all synthetic clips at both levels with 1 and 3 threads against the digests that DIGEST, the
same program for this machine, prints. Disassembles the objects too: no fused multiply-add."""
import glob, os, shutil, subprocess, sys

source, folder, digest = sys.argv[1:]
for program in ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump", "qemu-aarch64", "meson", "ninja"):
    if not shutil.which(program):
        print(f"SKIPPED: {program} is not installed")
        sys.exit(77)


def run(*command, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


if not os.path.exists(f"{folder}/build.ninja"):
    run("meson", "setup", folder, source, "--cross-file", f"{source}/tests/cross/aarch64.ini", "-Dinner_only=true", "-Dcuda=disabled", "-Dhip=disabled")
run("ninja", "-C", folder, "tests/levels", "tests/digest")
print(run("qemu-aarch64", f"{folder}/tests/levels", "--quick"))
expected = run(digest, "scalar")
for level in ("scalar", "neon"):
    for threads in ("1", "3"):
        if run("qemu-aarch64", f"{folder}/tests/digest", level, threads) != expected:
            sys.exit(f"level {level}, {threads} threads: the digests are not those of this machine")
print(f"{len(expected.splitlines())} clips: the bits of this machine")
objects = glob.glob(f"{folder}/src/*.p/*.o")
print(run(sys.executable, f"{source}/tests/guards/check_strict_float.py", "aarch64-linux-gnu-objdump", *objects))
