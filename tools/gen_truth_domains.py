#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints src/experiment/truth_domains.def: the domains of tests/truth as lines of text.

TRUTH_DOMAINS(MACHINE, KERNEL, LINES...): what that kernel built. `make check-style`
compares it with the file in the tree.
"""
import glob
import re


def main():
    print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
    print('/* Made by tools/gen_truth_domains.py; do not edit. The domains of tests/truth. */')
    for path in sorted(glob.glob('tests/truth/topo-*.txt')):
        kernel, machine = re.search(r'topo-([\d.]+)-(\w+)\.txt$', path).groups()
        lines = [line for line in open(path).read().split('\n') if line.startswith('domain')]
        print('\nTRUTH_DOMAINS("%s", "%s",' % (machine, kernel))
        print(',\n'.join('\t"%s"' % line for line in lines) + ')')


main()
