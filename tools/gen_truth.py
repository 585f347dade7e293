#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints src/experiment/truth_data.def: the figures of tests/truth as tables of C.

`make check-style` compares it with the file in the tree. What a figure must lie in is
said by the macros in src/experiment/truth_figures.h, not here.
"""
import glob
import re

KERNELS = ['6.1', '6.12']
# Runs whose figures the prices were taken from: shown, not judged.
CALIBRATION = ['g2same']
# Recorded once only.
SINGLE = ['p1', 'p1b']
# kind, unit and how much one of what it counts is, by the figure's name
KINDS = [
    (r'spread_|node0_tasks', 'place', 'tasks', 1),
    (r'migrations_', 'place', 'count', 1),
    (r'.*_cpu_s_', 'share', 's', 0.004),
    (r'.*_periods_max$|.*_missed_max$', 'time', 'count', 1),
    (r'.*_maxlat_us_max$', 'time', 'us', 1),
    (r'time_s$', 'time', 's', 0),
    (r'us_per_roundtrip$', 'time', 'us', 0),
    (r'', 'stat', 'count', 0),
]


def lines_of(path):
    return [line for line in open(path).read().split('\n') if line and not line.startswith('#')]


def kind_of(figure):
    for pattern, kind, unit, one in KINDS:
        if re.match(pattern, figure):
            return kind, unit, one


def entry(experiment, figure, kernel, values):
    kind, unit, one = kind_of(figure)
    name = '%s_%s_%s' % (kind, figure, kernel)
    numbers = ', '.join(values)
    if experiment in CALIBRATION:
        return 'TRUTH_SHOWN("%s", "%s", "%s", %s)' % (name, kind, unit, numbers)
    if kind == 'stat':
        return 'TRUTH_STAT("%s", %s)' % (name, numbers)
    macro = 'TRUTH_SINGLE' if experiment in SINGLE else 'TRUTH_RANGE'
    return '%s("%s", "%s", "%s", %s, %s)' % (macro, name, kind, unit, one, numbers)


def print_experiment(path):
    name = re.search(r'(\w+)\.txt$', path)[1]
    rows = [line.split() for line in lines_of(path)]
    print()
    print('static const struct case_figure figures_%s[] = {' % name)
    print('\tTRUTH_SUMMARY')
    for i, kernel in enumerate(KERNELS):
        for figure, *values in rows:
            print('\t%s,' % entry(name, figure, kernel, values[3 * i:3 * i + 3]))
    print('};')


def main():
    print('/* SPDX-License-Identifier: GPL-2.0-or-later */')
    print('/* Made by tools/gen_truth.py; do not edit. The experiments of tests/truth. */')
    for path in sorted(glob.glob('tests/truth/*.txt')):
        if '/topo-' not in path:
            print_experiment(path)


main()
