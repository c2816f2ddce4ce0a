#!/usr/bin/env python3
"""Puts kernel texts into a C file: each room's kernels.h with its includes written out, as the driver compiles it at run
time.

usage: embed_text.py --target opencl --root SRC --out FILE.c --depfile FILE.d ROOM=PATH...
"""
import argparse
import pathlib
import re

LOWERINGS = {'c', 'cuda', 'hip', 'opencl', 'sycl', 'metal'}
CPU_FAMILIES = {'x86', 'arm'}  # a room's hand-tuned code for one of them
GUARD = re.compile(r'^#ifndef \w+_H$', re.M)
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def write_out(root, path, target, seen):
    """The lines of a file with its includes in place: those with an include guard once, templates each time."""
    text = (root / path).read_text(encoding='utf-8')
    if path in seen and GUARD.search(text):
        return []
    seen.add(path)
    lines = [f'#line 1 "{path}"']
    for number, line in enumerate(text.split('\n'), 1):
        include = INCLUDE.match(line)
        if not include:
            lines.append(line)
            continue
        inner = include.group(1)
        stem = pathlib.Path(inner).stem
        other = inner.startswith('kernel/') and stem in LOWERINGS - {target}
        if not other and stem not in CPU_FAMILIES:
            lines += write_out(root, inner, target, seen)
        lines.append(f'#line {number + 1} "{path}"')
    return lines


def c_array(name, text):
    data = text.encode('ascii', 'replace') + b'\0'  # only comments go beyond ASCII, and some compilers stumble over it
    rows = [','.join(map(str, data[i:i + 32])) for i in range(0, len(data), 32)]
    return f'static const char {name}[] = {{\n' + ',\n'.join(rows) + '};\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--target', required=True)
    parser.add_argument('--root', required=True, type=pathlib.Path)
    parser.add_argument('--out', required=True, type=pathlib.Path)
    parser.add_argument('--depfile', required=True, type=pathlib.Path)
    parser.add_argument('rooms', nargs='+')
    arguments = parser.parse_args()
    used = set()
    out = ['/* Made by the build (src/kernel/embed_text.py). */\n#include "backends/embedded.h"\n']
    entries = []
    for room in arguments.rooms:
        name, path = room.split('=')
        seen = set()
        lines = [f'#define TY_TARGET_{arguments.target.upper()}']
        lines += write_out(arguments.root, path, arguments.target, seen)
        used |= seen
        out.append(c_array(f'text_{name}', '\n'.join(lines) + '\n'))
        entries.append(f'    {{"{name}", 0, text_{name}, sizeof text_{name} - 1}},\n')
    out.append(f'const ty_embedded ty_{arguments.target}_texts[] = {{\n{"".join(entries)}    {{0}},\n}};\n')
    arguments.out.write_text('\n'.join(out), encoding='utf-8')
    files = ' '.join(str(arguments.root / path) for path in sorted(used))
    arguments.depfile.write_text(f'{arguments.out}: {files}\n', encoding='utf-8')


main()
