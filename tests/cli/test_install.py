#!/usr/bin/env python3
"""test_install.py BUILD SOURCE CC: installs into a folder and builds the examples from there as a user would, with pkg-config."""
import glob, os, subprocess, sys, tempfile

build, source, compiler = sys.argv[1:]


def run(*command, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", env={**os.environ, "DESTDIR": folder})
    pc = glob.glob(f"{folder}/**/tally.pc", recursive=True)[0]
    library = os.path.dirname(os.path.dirname(pc))
    environment = {**os.environ, "PKG_CONFIG_PATH": os.path.dirname(pc), "PKG_CONFIG_SYSROOT_DIR": folder}
    flags = run("pkg-config", "--cflags", "--libs", "tally", env=environment).split()
    for example in ("score_files", "frames_from_memory"):
        run(compiler, f"{source}/examples/{example}.c", *flags, "-o", f"{folder}/{example}")
    linked = {**os.environ, "LD_LIBRARY_PATH": library}
    clip = os.environ["TALLY_CLIPS"] + "/s_pic181_8_420"
    scored = run(f"{folder}/score_files", f"{clip}_ref.y4m", f"{clip}_dis.y4m", env=linked)
    fed = run(f"{folder}/frames_from_memory", env=linked)
    if "psnr_y" not in scored or fed.count("dB") != 5:
        sys.exit(f"the examples print\n{scored}{fed}")
    program = glob.glob(f"{folder}/**/bin/tally", recursive=True)[0]
    print(run(program, "--version", env=linked).strip(), "installed; both examples build and run")
