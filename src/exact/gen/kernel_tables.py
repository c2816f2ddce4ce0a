#!/usr/bin/env python3
"""Writes ../kernel_tables.h, the tables of kernel_math.h, from plain integer arithmetic.

Run from anywhere: python3 src/exact/gen/kernel_tables.py
Each entry is the true value times the stated power of two, rounded to the nearest integer, as two words, the upper one first.
"""
from fractions import Fraction
from math import factorial
from pathlib import Path

from tables import exp2, ln, quotient, round_shift

BITS = 400

LOG_BINS = 64       # of the mantissa
LOG_RECIPROCAL = 11 # fraction bits of a bin's short reciprocal
LOG_TERMS = 22
EXP_STEPS = 32
EXP_TERMS = 17
SINE_TERMS = 17
ATAN_STEPS = 32
ATAN_TERMS = 11


def reciprocal(i):
    """An upper bound of 1/m for the mantissas of bin i, so that m times it is at least 1."""
    return -(-(LOG_BINS << LOG_RECIPROCAL) // (LOG_BINS + i))


def atan(t, bits):
    """atan of a fraction 0 <= t <= 1, times 2^bits, off by less than 1: Euler's series, all terms positive."""
    wide = bits + 64
    square = t * t
    ratio = square / (1 + square)
    term = ((t / (1 + square)).numerator << wide) // (t / (1 + square)).denominator
    total, n = 0, 0
    while term:
        total += term
        n += 1
        term = term * (2 * n) * ratio.numerator // ((2 * n + 1) * ratio.denominator)
    return round_shift(total, 64)


def fraction(f, bits):
    return round((f.numerator << bits) / Fraction(f.denominator))


def words(value):
    assert 0 <= value < 1 << 128
    return "0x%016x, 0x%016x" % (value >> 64, value & (1 << 64) - 1)


def table(name, comment, values):
    rows = "\n".join("    %s," % words(v) for v in values)
    return "/* %s */\nTABLE(u64, %s, %d) = {\n%s\n};\n" % (comment, name, 2 * len(values), rows)


def constant(name, value):
    high, low = words(value).split(", ")
    return "#define %s_HIGH %s\n#define %s_LOW %s\n" % (name, high, name, low)


def main():
    widest = max(Fraction(LOG_BINS + i + 1, LOG_BINS) * Fraction(reciprocal(i), 1 << LOG_RECIPROCAL) - 1
                 for i in range(LOG_BINS))
    # What the series leave out, against the 2^-125 that kernel_math.h claims.
    assert widest ** (LOG_TERMS + 1) / (LOG_TERMS + 1) < Fraction(1, 1 << 127), float(widest)
    assert Fraction(7, 10 * EXP_STEPS) ** EXP_TERMS / factorial(EXP_TERMS) < Fraction(1, 1 << 127)
    assert Fraction(4, 5) ** (2 * SINE_TERMS) / factorial(2 * SINE_TERMS) < Fraction(1, 1 << 127)
    assert Fraction(1, 2 * ATAN_STEPS - 1) ** (2 * ATAN_TERMS) / (2 * ATAN_TERMS + 1) < Fraction(1, 1 << 127)
    wide_ln2 = ln(Fraction(2), BITS)
    one = 1 << BITS
    pi = 4 * atan(Fraction(1), BITS)
    parts = [
        "/* Written by gen/kernel_tables.py; change that, not this. Two words a value, the upper one first. */\n"
        "#ifndef TY_EXACT_KERNEL_TABLES_H\n#define TY_EXACT_KERNEL_TABLES_H\n",
        "/* ln 2 at 2^-128, 1 / ln 2 at 2^-127, pi / 2 at 2^-123 and at 2^-126, pi at 2^-126, 2 / pi at 2^-64 */",
        constant("EXACT_LN2", round_shift(wide_ln2, BITS - 128)),
        constant("EXACT_INVERSE_LN2", quotient(one, wide_ln2, 127)),
        constant("EXACT_HALF_PI_123", round_shift(pi, BITS - 122)),
        constant("EXACT_HALF_PI", round_shift(pi, BITS - 125)),
        constant("EXACT_PI", round_shift(pi, BITS - 126)),
        "#define EXACT_TWO_OVER_PI 0x%016x\n" % (quotient(2 * one, pi, 64)),
        "#define EXACT_LOG_TERMS %d" % LOG_TERMS,
        "#define EXACT_EXP_TERMS %d" % EXP_TERMS,
        "#define EXACT_SINE_TERMS %d" % SINE_TERMS,
        "#define EXACT_ATAN_TERMS %d\n" % ATAN_TERMS,
        "/* For mantissas from 1 + i/64: at least 1/m, at 2^-11 */\nTABLE(u64, exact_log_reciprocal, %d) = {\n%s\n};\n"
        % (LOG_BINS, "\n".join("    " + " ".join("%d," % reciprocal(i) for i in range(row, row + 16))
                               for row in range(0, LOG_BINS, 16))),
        table("exact_log_of_reciprocal", "-ln of these, at 2^-127",
              [-ln(Fraction(reciprocal(i), 1 << LOG_RECIPROCAL), 127) for i in range(LOG_BINS)]),
        table("exact_inverse", "1/(n + 1) at 2^-127", [fraction(Fraction(1, n + 1), 127) for n in range(LOG_TERMS)]),
        table("exact_exp2_steps", "2^(j/32) at 2^-127", [exp2(Fraction(j, EXP_STEPS), 127) for j in range(EXP_STEPS)]),
        table("exact_inverse_factorial", "1/n! at 2^-127",
              [fraction(Fraction(1, factorial(n)), 127) for n in range(2 * SINE_TERMS)]),
        table("exact_atan", "atan(i/32) at 2^-126", [atan(Fraction(i, ATAN_STEPS), 126) for i in range(ATAN_STEPS + 1)]),
        "#endif\n",
    ]
    (Path(__file__).resolve().parent.parent / "kernel_tables.h").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
