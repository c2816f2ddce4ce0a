#!/usr/bin/env python3
"""Compiles every kernel text for SYCL and Metal with a plain C++ compiler and stand-ins for those languages' names: as far as
syntax and types go, without their compilers.

usage: check_cxx.py CXX SRC ROOM=PATH...
"""
import pathlib
import subprocess
import sys

STANDINS = pathlib.Path(__file__).resolve().parent
WARNINGS = ['-Wall', '-Werror', '-Wno-attributes', '-Wno-unused', '-Wno-unknown-pragmas']


def main():
    compiler, root, *rooms = sys.argv[1:]
    failed = 0
    for room in rooms:
        path = room.split('=', 1)[1]
        for target in ('sycl', 'metal'):
            for bits in (8, 16):
                text = f'#define TY_TARGET_{target.upper()}\n#include "{path}"\n'
                done = subprocess.run([compiler, '-x', 'c++', '-std=c++17', '-fsyntax-only', *WARNINGS,
                                       f'-DSAMPLE_BITS={bits}', '-I', root, '-I', STANDINS / f'fake_{target}', '-'],
                                      input=text, text=True, stderr=subprocess.PIPE)
                if done.returncode:
                    failed += 1
                    print(f'{path} for {target}, {bits} bits:\n{done.stderr[:2000]}')
    print(f'{len(rooms) * 4} compilations, {failed} failed')
    sys.exit(1 if failed else 0)


main()
