#!/usr/bin/env python3
"""Makes a C file that takes compiled device code into the library (assembler's .incbin) and lists it.

usage: embed_code.py --list NAME --out FILE.c ROOM:BITS=PATH...
"""
import argparse
import hashlib
import pathlib


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--list', required=True)
    parser.add_argument('--out', required=True, type=pathlib.Path)
    parser.add_argument('codes', nargs='*')
    arguments = parser.parse_args()
    out = ['/* Made by the build (src/kernel/embed_code.py). */\n#include "backends/embedded.h"\n']
    entries = []
    for code in arguments.codes:
        key, path = code.split('=', 1)
        room, bits = key.split(':')
        data = pathlib.Path(path).read_bytes()
        symbol = f'{arguments.list}_{room}_{bits}'
        # The digest makes this file change with the code, so that the object is made again.
        out.append(f'/* SHA-256 {hashlib.sha256(data).hexdigest()} */\n'
                   f'__asm__(".pushsection .rodata\\n.balign 64\\n.globl {symbol}\\n.hidden {symbol}\\n{symbol}:\\n"\n'
                   f'        ".incbin \\"{pathlib.Path(path).resolve()}\\"\\n.popsection\\n");\n'
                   f'extern const char {symbol}[];\n')
        entries.append(f'    {{"{room}", {bits}, {symbol}, {len(data)}}},\n')
    out.append(f'const ty_embedded {arguments.list}[] = {{\n{"".join(entries)}    {{0}},\n}};\n')
    arguments.out.write_text('\n'.join(out), encoding='utf-8')


main()
