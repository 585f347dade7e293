#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints src/sched/pelt/pelt_table.h: powers of y, where y^32 is one half.

Exact integer arithmetic: y^i is a 32nd root of a power of two, found by
bisection. `make check-style` compares the output with the file in the tree.
"""

HALF_LIFE = 32
ONE = (1 << 32) - 1


def inverse(i):
    """floor(ONE * 2**(-i / 32)): the greatest v with v**32 * 2**i <= ONE**32."""
    low, high = 0, ONE
    while low < high:
        middle = (low + high + 1) // 2
        if middle ** HALF_LIFE << i <= ONE ** HALF_LIFE:
            low = middle
        else:
            high = middle - 1
    return low


def load_avg_max(y):
    """What the sum of a load of 1 settles at: 1024 a period, aged each time."""
    total = 1024
    while True:
        following = ((total * y) >> 32) + 1024
        if following == total:
            return total
        total = following


def main():
    table = [inverse(i) for i in range(HALF_LIFE)]
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print("/* Made by tools/gen_pelt.py; do not edit. (2^32 - 1) * 2^(-i/32), truncated. */")
    print("#ifndef RUNQLAB_SCHED_PELT_PELT_TABLE_H")
    print("#define RUNQLAB_SCHED_PELT_PELT_TABLE_H")
    print()
    print("#include <stdint.h>")
    print()
    print(f"#define PELT_HALF_LIFE {HALF_LIFE}u /* periods */")
    print(f"#define LOAD_AVG_MAX {load_avg_max(table[1])}u")
    print()
    print("/* clang-format off */")
    print(f"static const uint32_t pelt_inverse[{HALF_LIFE}] = {{")
    for i in range(0, HALF_LIFE, 8):
        print("\t" + " ".join(f"0x{v:08x}," for v in table[i:i + 8]))
    print("};")
    print("/* clang-format on */")
    print()
    print("#endif")


if __name__ == "__main__":
    main()
