#!/usr/bin/env python3
"""Writes ../tables.c, the tables and constants of src/exact, from plain integer arithmetic.

Run from anywhere: python3 src/exact/gen/tables.py
Each entry is the true value times a power of two, rounded to the nearest integer (the wide constants: down).
The asserts are part of the proof: they bound the reduced arguments over every bin, by exact fractions.
"""
from fractions import Fraction
from pathlib import Path

GUARD = 64          # extra bits carried by every intermediate value here
BINS = 128          # coarse bins of the mantissa, and entries of each table of 2^(j/N)
FOLD = 53           # bins from this one on are halved, so that the mantissa lies around 1
FINE_LOW, FINE_HIGH = -80, 128
WIDE_LIMBS = 33     # one integer limb and 32 fraction limbs


def round_shift(value, bits):
    return (value + (1 << (bits - 1))) >> bits


def atanh(t, bits):
    """atanh of a fraction |t| <= 1/3, times 2^bits."""
    power = (t.numerator << bits) // t.denominator
    square = t * t
    total, k = 0, 1
    while power not in (0, -1):
        total += power // k
        power = power * square.numerator // square.denominator
        k += 2
    return total


def ln(x, bits):
    """ln of a positive fraction, times 2^bits, off by less than 1."""
    wide = bits + GUARD
    twos = 0
    while x > Fraction(4, 3):
        x, twos = x / 2, twos + 1
    while x < Fraction(2, 3):
        x, twos = x * 2, twos - 1
    total = 2 * atanh((x - 1) / (x + 1), wide) + 2 * twos * atanh(Fraction(1, 3), wide)
    return round_shift(total, GUARD)


def exp2(x, bits):
    """2 to a fraction 0 <= x < 1, times 2^bits, off by less than 1."""
    wide = bits + GUARD
    r = ln(Fraction(2), wide) * x.numerator // x.denominator
    term, total, k = 1 << wide, 0, 1
    while term:
        total += term
        term = (term * r >> wide) // k
        k += 1
    return round_shift(total, GUARD)


def quotient(numerator, denominator, bits):
    """numerator / denominator of two values scaled alike, times 2^bits, rounded to nearest."""
    return (2 * (numerator << bits) + denominator) // (2 * denominator)


LN2 = ln(Fraction(2), 2400)
LN10 = ln(Fraction(10), 2400)
ONE = 1 << 2400


def coarse_reciprocal(i):
    """512 / m for the middle of bin i; exactly 1 and 1/2 in the bins that touch a power of two."""
    if i in (0, BINS - 1):
        return 512 if i == 0 else 256
    return round(Fraction(512 * BINS * 2, 2 * (BINS + i) + 1))


def fine_reciprocal(j):
    return round(Fraction(1 << 16) / (1 + Fraction(j, 1 << 14)))


def check_reduction():
    lowest = highest = Fraction(0)
    for i in range(BINS):
        for m in (1 + Fraction(i, BINS), 1 + Fraction(i + 1, BINS)):
            z = m * Fraction(coarse_reciprocal(i), 512) - 1
            lowest, highest = min(lowest, z), max(highest, z)
    half = Fraction(1, 1 << 15)
    assert lowest >= Fraction(FINE_LOW, 1 << 14) - half, lowest
    assert highest <= Fraction(FINE_HIGH, 1 << 14), highest
    widest = Fraction(0)
    for j in range(FINE_LOW, FINE_HIGH + 1):
        for z in (Fraction(j, 1 << 14) - half, Fraction(j, 1 << 14) + half):
            widest = max(widest, abs((1 + z) * Fraction(fine_reciprocal(j), 1 << 16) - 1))
    # log_first.h relies on |z| < 2^-14.5, that is z^2 < 2^-29
    assert widest * widest < Fraction(1, 1 << 29), float(widest)
    # bins 1..126 keep away from ln = 0 by more than the near-one path needs
    assert ln(1 + Fraction(1, BINS), 64) > 1 << 56 and -ln(Fraction(255, 256), 64) > 1 << 55


def u128(value):
    value &= (1 << 128) - 1
    return "TY_U128(0x%016x, 0x%016x)" % (value >> 64, value & (1 << 64) - 1)


def coarse_log(i, bits):
    folded = Fraction(coarse_reciprocal(i), 512) * (2 if i >= FOLD else 1)
    return -ln(folded, bits)


def coarse_log2(i, bits):
    return quotient(coarse_log(i, 300), ln(Fraction(2), 300), bits)


def table(declaration, rows):
    return "%s = {\n%s\n};\n" % (declaration, "\n".join("    %s," % row for row in rows))


def limbs(value):
    """The wide constant value / 2^2400, rounded down to WIDE_LIMBS - 1 fraction limbs, least limb first."""
    fixed = value >> (2400 - 64 * (WIDE_LIMBS - 1))
    return ["0x%016x" % (fixed >> 64 * i & (1 << 64) - 1) for i in range(WIDE_LIMBS)]


def constant(name, value):
    return "const ty_u128 %s = %s;\n" % (name, u128(value))


def main():
    check_reduction()
    bins = range(BINS)
    ln2_short = ln(Fraction(2), 400)
    parts = [
        "/* Written by gen/tables.py; change that, not this. */\n#include \"tables.h\"\n",
        table("const struct ty_log_step ty_log_coarse[%d]" % BINS,
              ["{%s, %d}" % (u128(coarse_log(i, 116)), coarse_reciprocal(i)) for i in bins]),
        table("const struct ty_log_step ty_log_fine[%d]" % (FINE_HIGH - FINE_LOW + 1),
              ["{%s, %d}" % (u128(-ln(Fraction(fine_reciprocal(j), 1 << 16), 116)), fine_reciprocal(j))
               for j in range(FINE_LOW, FINE_HIGH + 1)]),
        table("const struct ty_log2f_step ty_log2f_coarse[%d]" % BINS,
              ["{%d, %d}" % (coarse_log2(i, 55), coarse_reciprocal(i)) for i in bins]),
        table("const int64_t ty_log2f_series[7]",
              ["%d" % ((-1) ** k * quotient(ONE, LN2 * (k + 1), 62)) for k in range(7)]),
        table("const ty_u128 ty_exp2_coarse[%d]" % BINS, [u128(exp2(Fraction(j, 128), 127)) for j in bins]),
        table("const ty_u128 ty_exp2_fine[%d]" % BINS, [u128(exp2(Fraction(j, 16384), 127)) for j in bins]),
        table("const uint64_t ty_wide_ln2[TY_WIDE_LIMBS]", limbs(LN2)),
        table("const uint64_t ty_wide_inverse_ln2[TY_WIDE_LIMBS]", limbs(ONE * ONE // LN2)),
        table("const uint64_t ty_wide_inverse_ln10[TY_WIDE_LIMBS]", limbs(ONE * ONE // LN10)),
    ]
    header = [
        "/* Written by gen/tables.py; change that, not this. Each is the true value times the stated\n"
        " * power of two, rounded to the nearest integer. */\n"
        "#ifndef TY_EXACT_CONSTANTS_H\n#define TY_EXACT_CONSTANTS_H\n\n"
        "#include <stdint.h>\n",
        "#define TY_LN2_115 %s" % u128(round_shift(LN2, 2400 - 115)),
        "#define TY_LOG10_2_117 %s" % u128(quotient(LN2, LN10, 117)),
        "#define TY_INVERSE_LN2_127 %s" % u128(quotient(ONE, LN2, 127)),
        "#define TY_INVERSE_LN10_129 %s" % u128(quotient(ONE, LN10, 129)),
        "/* 2^14 / ln 2 at 2^-48, and ln 2 / 2^14 at 2^-125 */",
        "#define TY_STEPS_PER_UNIT_48 INT64_C(%d)" % quotient(ONE, LN2, 14 + 48),
        "#define TY_UNITS_PER_STEP_125 %s" % u128(round_shift(ln2_short, 400 - 125 + 14)),
        "\n#endif\n",
    ]
    here = Path(__file__).resolve().parent.parent
    (here / "tables.c").write_text("\n".join(parts))
    (here / "constants.h").write_text("\n".join(header))


if __name__ == "__main__":
    main()
