#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""truth_figures.py RECORDINGS OUT: what real kernels did, as small text files.

RECORDINGS is the folder of measurements (one folder a kernel below it), OUT gets
  NAME.txt               an experiment: each figure's median, least and greatest value
                         over its repetitions, kernel by kernel
  topo-KERNEL-MACHINE.txt the domains a kernel built, with the machine they are for
tests/truth/ holds the output; tests/tools/truth_test.sh compares it where the
measurements are at hand. tests/truth/README.md tells the format.
"""
import glob
import gzip
import json
import os
import re
import statistics
import sys

KERNELS = ['6.1', '6.12']
LEVELS = ['SMT', 'MC', 'NUMA']  # of the 16-CPU machine all experiments ran on
MACHINES = ['t4', 't16', 't2x16', 't64', 't4x4ring']
TIMES = [0.05, 0.2, 1, 2, 5, 10, 20]

# name: (set of repetitions, what ran)
EXPERIMENTS = {
    'a': ('main', '100 spinners, 20 s'),
    'b1': ('main', '100 spinners in one cgroup, 20 s'),
    'b2': ('main', '50 spinners in a cgroup of weight 100 and 50 in one of weight 1000, 20 s'),
    'c8': ('main', '8 spinners, 10 s'),
    'c16': ('main', '16 spinners, 10 s'),
    'c17': ('main', '17 spinners, 10 s'),
    'c24': ('main', '24 spinners, 10 s'),
    'd': ('main', '4 spinners pinned to CPU 0 and 12 free ones, 10 s'),
    'e': ('main', '16 spinners of nice 0 and 16 of nice 19, 20 s'),
    'f': ('main', '4 SCHED_FIFO tasks of 2 ms every 10 ms and 16 spinners, 10 s'),
    'g1': ('g1us', 'hackbench -g 4 -l 100'),
    'g2': ('g1us', 'two tasks and two pipes, 5000 round trips, free'),
    'g2smt': ('g1us', '... pinned to two threads of a core'),
    'g2core': ('g1us', '... pinned to two cores of a node'),
    'g2node': ('g1us', '... pinned to two nodes'),
    'g2same': ('g1us', '... pinned to one CPU'),
    'p1': ('extra', 'spinners of nice 0 and nice 19 pinned to one CPU, 10 s'),
    'p1b': ('extra', 'spinners of nice 0 and nice 5 pinned to one CPU, 10 s'),
}


def read(path):
    with (gzip.open(path, 'rt') if path.endswith('.gz') else open(path)) as f:
        return f.read()


def cpu_list(text):
    cpus = []
    for part in text.split(','):
        low, _, high = part.partition('-')
        cpus += range(int(low), int(high or low) + 1)
    return cpus


def list_text(cpus):
    parts, cpus = [], sorted(cpus)
    while cpus:
        n = 1
        while n < len(cpus) and cpus[n] == cpus[0] + n:
            n += 1
        parts.append(str(cpus[0]) if n == 1 else '%d-%d' % (cpus[0], cpus[n - 1]))
        cpus = cpus[n:]
    return ','.join(parts)


# ---- figures ----

def placement(run):
    """Tasks a CPU: greatest less least, at some times and on average; node 0's at the end."""
    figures = {}
    exact = run.get('exact') or []
    for t in TIMES:
        for at, tasks in exact:
            if abs(at - t) < 1e-6:
                figures['spread_at_%gs' % t] = max(tasks) - min(tasks)
    late = [max(tasks) - min(tasks) for at, tasks in exact if at >= 3]
    if late:
        figures['spread_mean_from_3s'] = sum(late) / len(late)
        figures['node0_tasks_at_end'] = sum(exact[-1][1][:8])
    return figures


def counters(run):
    figures = {}
    for name in ['total', 'cross_node', 'cross_core_same_node', 'same_core', 'after_1s', 'after_5s']:
        if run.get('migrations'):
            figures['migrations_' + name] = run['migrations'][name]
    if 'schedstat' not in run:
        return figures
    for name in ['sched_count', 'sched_goidle', 'ttwu_count', 'ttwu_local', 'pcount']:
        figures[name] = run['schedstat']['total'][name]
    for level, domain in zip(LEVELS, run['schedstat']['domains']):
        for name in ['busy_lb_count', 'busy_lb_balanced', 'busy_lb_failed', 'busy_lb_gained',
                     'idle_lb_count', 'idle_lb_gained', 'newidle_lb_count', 'newidle_lb_gained',
                     'alb_pushed', 'ttwu_wake_remote', 'ttwu_move_affine']:
            figures['%s_%s' % (level, name)] = domain.get(name, 0)
    return figures


def cpu_times(run):
    figures = {}
    for group, g in (run.get('groups') or {}).items():
        times = [t['cpu'] for t in run['threads'] if t['g'] == group]
        figures['%s_cpu_s_sum' % group] = g['sum']
        figures['%s_cpu_s_min' % group] = min(times)
        figures['%s_cpu_s_median' % group] = statistics.median(times)
        figures['%s_cpu_s_max' % group] = max(times)
        for name in ['periods', 'missed', 'maxlat_us']:
            values = [t[name] for t in run['threads'] if t['g'] == group and name in t]
            if values:
                figures['%s_%s_max' % (group, name)] = max(values)
    return figures


def printed(text):
    """What hackbench or the pipe test said of themselves."""
    figures = {}
    for name, pattern in [('time_s', r'Time: ([\d.]+)'), ('us_per_roundtrip', r'us_per_roundtrip=([\d.]+)')]:
        m = re.search(pattern, text)
        if m:
            figures[name] = float(m[1])
    return figures


def figures_of(folder, name):
    run = json.loads(read(folder + '/summary.json')).get(name, {})
    figures = {}
    out = '%s/%s.out' % (folder, name)
    if os.path.exists(out):
        figures.update(printed(read(out)))
    figures.update(placement(run))
    figures.update(cpu_times(run))
    figures.update(counters(run))
    return figures


def number(v):
    return '%d' % v if v == int(v) else '%.4f' % v


def write_experiment(recordings, out, name):
    kind, what = EXPERIMENTS[name]
    columns, reps = {}, {}
    for kernel in KERNELS:
        folders = sorted(glob.glob('%s/%s/%s-rep*' % (recordings, kernel, kind)))
        runs = [figures_of(f, name) for f in folders]
        runs = [r for r in runs if r]
        reps[kernel] = len(runs)
        for figure in (runs[0] if runs else {}):
            values = [r[figure] for r in runs if figure in r]
            if len(values) == len(runs):
                columns.setdefault(figure, {})[kernel] = values
    if not columns:
        sys.exit('%s: nothing was recorded' % name)
    with open('%s/%s.txt' % (out, name), 'w') as f:
        f.write('# SPDX-License-Identifier: GPL-2.0-or-later\n')
        f.write('# %s; repetitions: %s\n' % (what, ', '.join('%s %d' % (k, reps[k]) for k in KERNELS)))
        f.write('# figure' + ''.join(', %s median low high' % k for k in KERNELS) + '\n')
        for figure, of in columns.items():
            if len(of) < len(KERNELS) or not any(any(v) for v in of.values()):
                continue  # not in all kernels, or 0 everywhere
            f.write(figure)
            for kernel in KERNELS:
                v = of[kernel]
                f.write('  %s %s %s' % (number(statistics.median(v)), number(min(v)), number(max(v))))
            f.write('\n')


# ---- domains ----

def machine_lines(folder):
    text = read(folder + '/topology.txt')
    cores, lines = set(), []
    for m in re.finditer(r'^(cpu\d+) core_cpus_list=(\S+) package_cpus_list=(\S+) \S+ cluster_cpus_list=(\S+)',
                         text, re.M):
        if m[2] in cores:
            continue
        cores.add(m[2])
        caches = re.findall(r'^%s index\d level=(\d) type=\w+ size=\S+ shared_cpu_list=(\S+)' % m[1], text, re.M)
        llc = max(caches)[1]
        lines.append((cpu_list(m[2])[0], 'core %s cluster=%s llc=%s package=%s' % (m[2], m[4], llc, m[3])))
    nodes = ['node %s distance=%s' % (m[1], m[2].replace(' ', ','))
             for m in re.finditer(r'^node\d+ cpulist=(\S+) distance=(.*)$', read(folder + '/nodes.txt'), re.M)]
    return [line for _, line in sorted(lines)] + nodes


def ring_text(text, cpu):
    """SPAN[@MASK]:CAPACITY of each group, from the one that speaks for the lowest CPU on."""
    groups, speakers = [], []
    for m in re.finditer(r'\d+:\{ span=(\S+)(?: mask=(\S+))?(?: cap=(\d+))? \}', text):
        groups.append('%s%s:%s' % (m[1], '@' + m[2] if m[2] else '', m[3] or '1024'))
        speakers.append(cpu_list(m[2] or m[1])[0])
    if not groups or cpu not in cpu_list(re.match(r'[\d,-]+', groups[0])[0]):
        sys.exit('CPU %d: its ring does not start at its own group' % cpu)
    first = speakers.index(min(speakers))
    return '+'.join(groups[first:] + groups[:first])


def rings(folder):
    """(cpu, depth): (name, span, ring), as the kernel printed them when it booted."""
    found, cpu, last = {}, None, None
    for line in read(folder + '/dmesg.txt.gz').split('\n'):
        m = re.search(r'CPU(\d+) attaching sched-domain', line)
        if m:
            cpu = int(m[1])
        m = re.search(r'domain-(\d+): span=(\S+) level=(\w+)', line)
        if m:
            last = (int(m[1]), m[2], m[3])
        m = re.search(r'groups: (.*)', line)
        if m:
            found[cpu, last[0]] = (last[2], last[1], ring_text(m[1], cpu))
    return found


def domain_lines(folder):
    ring = rings(folder)
    same = {}
    for line in read(folder + '/sched_domains.txt').strip().split('\n'):
        words = line.split()
        m = re.match(r'cpu(\d+)/domain(\d+)$', words[0])
        values = dict(w.split('=', 1) for w in words[1:])
        del values['max_newidle_lb_cost']  # measured while it ran
        name, span, groups = ring.pop((int(m[1]), int(m[2])))
        if name != values['name']:
            sys.exit('%s: %s was %s when it booted' % (folder, words[0], name))
        order = ['name', 'min_interval', 'max_interval', 'busy_factor', 'imbalance_pct', 'cache_nice_tries',
                 'level', 'flags', 'groups_flags']
        text = ' '.join('%s=%s' % (k, values.pop(k)) for k in order if k in values)
        if values:
            sys.exit('%s: unknown %s' % (folder, ', '.join(values)))
        same.setdefault((int(m[2]), span, text, groups), []).append(int(m[1]))
    if ring:
        sys.exit('%s: not in sched_domains.txt: %s' % (folder, sorted(ring)))
    rows = sorted(((depth, cpus[0]), 'domain%d cpus=%s span=%s %s groups=%s' %
                   (depth, list_text(cpus), span, text, groups))
                  for (depth, span, text, groups), cpus in same.items())
    return [line for _, line in rows]


def write_domains(recordings, out, kernel, machine):
    folder = '%s/%s/topo-%s-rep0' % (recordings, kernel, machine)
    with open('%s/topo-%s-%s.txt' % (out, kernel, machine), 'w') as f:
        f.write('# SPDX-License-Identifier: GPL-2.0-or-later\n')
        f.write('# domains of kernel %s\n' % kernel)
        f.write('\n'.join(machine_lines(folder) + domain_lines(folder)) + '\n')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    recordings, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for name in EXPERIMENTS:
        write_experiment(recordings, out, name)
    for kernel in KERNELS:
        for machine in MACHINES:
            write_domains(recordings, out, kernel, machine)


main()
