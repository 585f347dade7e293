/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile `default` as text, in the format of a profile's file. It stands
 * for one reality of hardware: two-socket x86 servers of 2009 to 2012 at about
 * 2.5 GHz. It is the same for all kernels, workloads and cases.
 *
 * Each price is `published`, `derived` from published or measured figures, or
 * `assumed`; docs/PRICES.md explains the words in brackets, does the arithmetic
 * and gives the range of what was found. A median of sources counts, never what
 * makes a case come out.
 */
#include "experiment/prices.h"

/* All compilers of Linux take strings of this length. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* clang-format off */
const char prices_default_text[] =
"[sched]\n"
"schedule = 140 ns      # derived: 6 % of a switch cycle of 1.4 us [cycle]\n"
"switch_locked = 415 ns # derived: 29 % of a switch cycle of 1.4 us [cycle]\n"
"switch_tail = 415 ns   # derived: 29 % of a switch cycle of 1.4 us [cycle]\n"
"wakeup = 280 ns        # derived: 20 % of a switch cycle of 1.4 us [cycle]\n"
"enqueue = 65 ns        # derived: 5 % of a switch cycle of 1.4 us [cycle]\n"
"dequeue = 65 ns        # derived: 5 % of a switch cycle of 1.4 us [cycle]\n"
"pick = 35 ns           # derived: 2 % of a switch cycle of 1.4 us [cycle]\n"
"select_scan = 10 ns    # derived: 1 line near, 22 ns, half overlapped [line]\n"
"busiest_scan = 60 ns   # derived: 3 lines and 40 instructions, 38 ns near, 100 ns far [line]\n"
"load_balance = 150 ns  # assumed: 300 instructions at 1 a cycle and 1 line\n"
"examine = 100 ns       # derived: 1.5 lines and 70 instructions: 61 ns near, 154 ns far [line]\n"
"migrate = 500 ns       # derived: 5 lines at 50 ns and 600 instructions [line]\n"
"tg_walk = 65 ns        # derived: 1 line and 2 shared ones: 38 ns near, 100 ns far [line]\n"
"shares = 40 ns         # derived: 2 own lines at 7 ns and 60 instructions [line]\n"
"tick = 750 ns          # derived: 15 % of 5 us, direct part of a 1000 Hz tick [Tsafrir 2007]\n"
"softirq = 200 ns       # assumed: 500 cycles\n"
"ipi_send = 150 ns      # published: 298 cycles at 2 GHz [Kaffes 2019, table 1]\n"
"ipi_receive = 600 ns   # published: 1212 cycles at 2 GHz [Kaffes 2019, table 1]\n"
"timer_irq = 740 ns     # derived: ipi_receive, a dequeue, half an ipi_send\n"
"timer_arm = 140 ns     # derived: an enqueue and half an ipi_send\n"
"fork_sched = 300 ns    # assumed: 750 cycles\n"
"stopper = 500 ns       # assumed: 1250 cycles\n"
"cpupri_find = 130 ns   # derived: 2 modified lines, the second half, and 100 instructions [rt]\n"
"cpupri_set = 230 ns    # derived: 3 modified lines, 4 atomics and 30 instructions [rt]\n"
"rto_scan = 40 ns       # derived: 1 modified line, half overlapped, and 20 instructions [rt]\n"
"load_avg = 75 ns       # derived: 2 own lines at 7 ns and 150 instructions [pelt]\n"
"load_period = 70 ns    # derived: 3 divisions of 40 cycles and 60 instructions [pelt]\n"
"shared_avg = 70 ns     # derived: 1 modified line and an atomic of 20 cycles [pelt]\n"
"leaf = 45 ns           # derived: 3 own lines at 7 ns and 60 instructions [pelt]\n"
"\n"
"[lock]\n"
"same_cpu = 20 ns   # derived: an atomic of 20 cycles, call and interrupt flag 30 cycles [lock]\n"
"same_llc = 60 ns   # derived: same_cpu and a modified line near, 28 ns and 51 ns, mean [lock]\n"
"remote = 140 ns    # derived: same_cpu and a modified line far, 105 ns and 136 ns, mean [lock]\n"
"per_waiter = 15 ns # derived: half the waiters reload the line first, 75 cycles each [lock]\n"
"\n"
"[hardware]\n"
"ipi_latency = 240 ns   # derived: 1993 cycles less sending and receiving [Kaffes 2019, table 1]\n"
"idle_exit = 1600 ns    # published: C1 of 1, 2 and 3 us [intel_idle]; derived: 1.25 us; median\n"
"smt_slowdown = 160 pct # derived: 200 / 1.25, a gain of 20 to 30 % from the second thread [SMT]\n"
"cold_same_llc = 650 ns # derived: 100 lines (assumed) at 6.6 ns [line]\n"
"cold_remote = 2700 ns  # derived: 100 lines (assumed) at 27 ns [line]\n"
"quantum = 0 ns         # derived: other CPUs see a store as soon as its line has come\n"
"\n"
"[work]\n"
"fork = 66 us               # derived: published 127 us x measured share [fork]\n"
"child_first_run = 66 us    # derived: published 127 us x measured share x 25/20 faults [fork]\n"
"thread = 8500 ns           # derived: measured 7.5 us x 1.13; published sum 10 and 14 us [fork]\n"
"thread_first_run = 2500 ns # derived: measured 2.2 us x 1.13 [fork]\n"
"exec = 350 us              # published: fork+execve less fork+exit, 361 and 339 us [exec]\n"
"exit = 71 us               # derived: published 127 us x measured share [fork]\n"
"syscall_sleep = 200 ns     # published: null call 82 ns [cycle]; assumed: 120 ns more\n"
"write = 1450 ns            # derived: as socket_write [message]\n"
"read = 1650 ns             # derived: as socket_read [message]\n"
"socket_write = 1450 ns     # derived: 47 % of 3.1 us a message [message]\n"
"socket_read = 1650 ns      # derived: 53 % of 3.1 us a message [message]\n"
;
/* clang-format on */
