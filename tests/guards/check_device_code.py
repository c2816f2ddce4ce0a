#!/usr/bin/env python3
"""Reads what compilers make of the kernel texts for GPUs and fails on arithmetic that is not strict.

usage: check_device_code.py --root SRC [--nvcc NVCC] [--cuda-flags "FLAGS"] [--clang CLANG] [--cuobjdump CUOBJDUMP] ROOM=PATH...

  PTX        (nvcc with the build's flags) no fused multiply-add or multiply-add of floats, nothing approximate, nothing that
             flushes subnormals, no double unless the text defines KERNEL_USES_F64
  SASS       (if there is cuobjdump) the same for kernels whose PTX neither divides nor takes roots: those operations are
             made of fused multiply-adds that round right as a whole
  LLVM IR    (clang, OpenCL C 1.2 for SPIR-V) no fmuladd, no fast-math flags, no double

A tool that is missing is named and left out; that none is there is exit status 77.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PTX_LOOSE = [
    (re.compile(r'\b(fma|mad)(\.\w+)*\.f(32|64)\b'), 'fused or contracted multiply-add'),
    (re.compile(r'\b(add|sub|mul)(\.sat)?\.f(32|64)\b'), 'operation that may be contracted (no .rn)'),
    (re.compile(r'\.approx\b|\bdiv\.full\b'), 'approximate operation'),
    (re.compile(r'\.ftz\b'), 'operation that flushes subnormals'),
]
PTX_DOUBLE = re.compile(r'^\s*(?!ld|st|mov)[a-z]+(\.\w+)*\.f64\b')
PTX_EXPANDED = re.compile(r'\b(div|sqrt|rcp)\.rn\.f(32|64)\b')
SASS_FUSED = re.compile(r'\b(FFMA|DFMA)\b')
LLVM_LOOSE = [
    (re.compile(r'llvm\.fmuladd|llvm\.fma\b|@_Z\w*(fma|mad)f'), 'fused multiply-add'),
    (re.compile(r'\bf(add|sub|mul|div|cmp|neg|rem) (\w+ )*?(fast|contract|reassoc|nnan|ninf|nsz|arcp|afn)\b'),
     'fast-math flag'),
]
LLVM_DOUBLE = re.compile(r'\bdouble\b')


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}\n{done.stderr}')
    return done.stdout


def find(lines, patterns, where):
    return [f'{where}:{number}: {what}: {line.strip()}' for number, line in enumerate(lines, 1)
            for pattern, what in patterns if pattern.search(line)]


def check_cuda(arguments, room, path, bits, doubles, folder):
    common = [arguments.nvcc, *arguments.cuda_flags.split(), '-I', arguments.root, f'-DSAMPLE_BITS={bits}',
              f'-DTY_ROOM_KERNELS="{path}"', arguments.root / 'kernel/cuda_room.cu']
    output = folder / f'{room}_{bits}'
    run([*common, '-ptx', '-arch=compute_90', '-o', f'{output}.ptx'])
    lines = pathlib.Path(f'{output}.ptx').read_text().splitlines()
    where = f'{room}, {bits} bits, PTX'
    faults = find(lines, PTX_LOOSE + ([] if doubles else [(PTX_DOUBLE, 'double')]), where)
    if arguments.cuobjdump and not any(PTX_EXPANDED.search(line) for line in lines):
        run([*common, '-cubin', '-arch=sm_90', '-o', f'{output}.cubin'])
        sass = run([arguments.cuobjdump, '-sass', f'{output}.cubin']).splitlines()
        faults += find(sass, [(SASS_FUSED, 'fused multiply-add')], where.replace('PTX', 'SASS'))
    return faults


def check_opencl(arguments, room, path, bits, folder):
    source = folder / f'{room}.cl'
    source.write_text(f'#define TY_TARGET_OPENCL\n#include "{path}"\n')
    text = run([arguments.clang, '-x', 'cl', '-cl-std=CL1.2', '-cl-fp32-correctly-rounded-divide-sqrt', '-O1', '-S',
                '-emit-llvm', '-target', 'spir64', '-Xclang', '-finclude-default-header', f'-DSAMPLE_BITS={bits}',
                '-I', arguments.root, source, '-o', '-'])
    # Attributes and metadata name options and types, they compute nothing.
    lines = [line for line in text.splitlines() if not line.startswith(('attributes', '!', 'declare'))]
    return find(lines, LLVM_LOOSE + [(LLVM_DOUBLE, 'double')], f'{room}, {bits} bits, LLVM IR')


def usable(program, what):
    found = shutil.which(program) if program else None
    if not found:
        print(f'SKIPPED: no {what}')
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', required=True, type=pathlib.Path)
    parser.add_argument('--nvcc')
    parser.add_argument('--cuda-flags', default='')
    parser.add_argument('--clang', default='clang')
    parser.add_argument('--cuobjdump', default='cuobjdump')
    parser.add_argument('rooms', nargs='+')
    arguments = parser.parse_args()
    arguments.nvcc = usable(arguments.nvcc, 'nvcc: PTX is not checked')
    arguments.clang = usable(arguments.clang, 'clang: OpenCL is not checked')
    arguments.cuobjdump = usable(arguments.cuobjdump, 'cuobjdump: SASS is not checked') if arguments.nvcc else None
    if not arguments.nvcc and not arguments.clang:
        sys.exit(77)
    faults = []
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for entry in arguments.rooms:
            room, path = entry.split('=', 1)
            whole = path if os.path.isabs(path) else arguments.root / path
            doubles = re.search(r'^\s*#\s*define\s+KERNEL_USES_F64\b', pathlib.Path(whole).read_text(), re.M)
            for bits in (8, 16):
                if arguments.nvcc:
                    faults += check_cuda(arguments, room, path, bits, doubles, folder)
                    checked += 1
                if arguments.clang:
                    faults += check_opencl(arguments, room, path, bits, folder)
                    checked += 1
    for path in [*arguments.root.glob('features/*/*.h'), *arguments.root.glob('exact/*.h')]:
        if '__VA_ARGS__' in path.read_text():
            faults.append(f'{path}: variadic macros are not OpenCL C 1.2, and some drivers refuse them')
    for fault in faults[:40]:
        print(fault)
    print(f'{checked} compilations checked, {len(faults)} faults')
    sys.exit(1 if faults else 0)


main()
