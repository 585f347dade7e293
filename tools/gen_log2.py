#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints src/base/log2_table.h: -log2 of 257 mantissas in 32-bit fixed point.

Exact integer arithmetic (repeated squaring), so the table is the same
everywhere; `make check-style` compares it with the file in the tree.
"""
from fractions import Fraction


def log2_fixed(num, den, bits):
    """floor(log2(num/den) * 2**bits) for 1 <= num/den <= 2."""
    scale = 1 << 200
    x = num * scale // den
    if x >= 2 * scale:
        return 1 << bits
    out = 0
    for _ in range(bits):
        x = x * x // scale
        out <<= 1
        if x >= 2 * scale:
            x //= 2
            out |= 1
    return out


def main():
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print("/* Made by tools/gen_log2.py; do not edit. log2(1 + i/256) * 2^32, truncated. */")
    print("#ifndef RUNQLAB_BASE_LOG2_TABLE_H")
    print("#define RUNQLAB_BASE_LOG2_TABLE_H")
    print()
    print("#include <stdint.h>")
    print()
    print("/* clang-format off */")
    print("static const uint64_t log2_table[257] = {")
    values = [log2_fixed(256 + i, 256, 32) for i in range(257)]
    for i in range(0, 257, 6):
        print("\t" + " ".join(f"UINT64_C({v})," for v in values[i:i + 6]))
    print("};")
    print("/* clang-format on */")
    print()
    print("#endif")


if __name__ == "__main__":
    main()
