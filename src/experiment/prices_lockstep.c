/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile `qemu-lockstep` as text: the emulated machine on which the figures of
 * tests/truth were recorded, no hardware that anybody has. An instruction takes 1 ns
 * whatever it is; there are no caches, so that lines cost the same everywhere; threads
 * of a core do not slow each other; CPUs run by turns, at most 20 us each, and see what the others
 * did when their own turn comes.
 *
 * Counts of instructions are those of docs/PRICES.md, section PELT and line, taken as
 * nanoseconds. Intervals are from runs recorded for this purpose alone, with an event at every
 * switch and wake-up; an event itself takes 450 ns, by which intervals are shortened. What these
 * runs did is not judged. docs/PRICES.md, section qemu-lockstep, does the arithmetic.
 */
#include "experiment/prices.h"

/* All compilers of Linux take strings of this length. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* clang-format off */
const char prices_lockstep_text[] =
"[sched]\n"
"schedule = 500 ns      # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"switch_locked = 600 ns # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"switch_tail = 300 ns   # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"wakeup = 400 ns        # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"enqueue = 350 ns       # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"dequeue = 350 ns       # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"pick = 150 ns          # derived: part of a switch cycle of 3.3 us [lockstep cycle]\n"
"select_scan = 60 ns    # derived: 26 CPUs of a fork in 1.6 us [lockstep fork]\n"
"busiest_scan = 100 ns  # assumed: 100 instructions\n"
"load_balance = 300 ns  # derived: 300 instructions, as `default` assumes\n"
"examine = 71 ns        # derived: 70 instructions and a division [line]\n"
"migrate = 600 ns       # derived: 600 instructions [line]\n"
"tg_walk = 40 ns        # assumed: 40 instructions\n"
"shares = 60 ns         # derived: 60 instructions [line]\n"
"tick = 3000 ns         # derived: 4.5 us from tick to switch, less the switch [lockstep tick]\n"
"softirq = 1000 ns      # assumed: 1000 instructions\n"
"ipi_send = 150 ns      # assumed: 150 instructions\n"
"ipi_receive = 350 ns   # assumed: 350 instructions\n"
"timer_irq = 2000 ns    # derived: 4 us from a timer to its task [lockstep idle]\n"
"timer_arm = 600 ns     # assumed: 600 instructions\n"
"fork_sched = 3000 ns   # derived: 5.8 us from copy to queued, less its parts [lockstep fork]\n"
"stopper = 1000 ns      # assumed: 1000 instructions\n"
"cpupri_find = 100 ns   # derived: 100 instructions [rt]\n"
"cpupri_set = 34 ns     # derived: 30 instructions and 4 atomics [rt]\n"
"rto_scan = 20 ns       # derived: 20 instructions [rt]\n"
"load_avg = 150 ns      # derived: 150 instructions [pelt]\n"
"load_period = 63 ns    # derived: 60 instructions and 3 divisions [pelt]\n"
"shared_avg = 10 ns     # assumed: 10 instructions\n"
"leaf = 60 ns           # derived: 60 instructions [pelt]\n"
"\n"
"[lock]\n"
"same_cpu = 30 ns   # derived: an atomic, call and interrupt flag, 30 instructions [lock]\n"
"same_llc = 30 ns   # derived: no caches\n"
"remote = 30 ns     # derived: no caches\n"
"per_waiter = 0 ns  # derived: no caches\n"
"\n"
"[hardware]\n"
"ipi_latency = 0 ns     # derived: the next round takes it\n"
"idle_exit = 300 ns     # derived: part of 1.6 us from queued to switch [lockstep idle]\n"
"smt_slowdown = 100 pct # derived: each thread runs at full speed\n"
"cold_same_llc = 0 ns   # derived: no caches\n"
"cold_remote = 0 ns     # derived: no caches\n"
"quantum = 20 us        # published: as the recordings were made\n"
"\n"
"[work]\n"
"fork = 145 us              # derived: 151 us from fork to fork, less fork_sched [lockstep fork]\n"
"child_first_run = 68 us    # measured: 67 and 69 us until a child's first call [lockstep fork]\n"
"thread = 57 us             # derived: 64 us from thread to thread, less fork_sched [lockstep fork]\n"
"thread_first_run = 4500 ns # derived: 5 us until a thread sleeps on its first fault, with one event [lockstep fork]\n"
"exec = 510 us              # derived: 519 and 505 us more than a fork without it [lockstep counted]\n"
"exit = 70 us               # assumed: half a fork\n"
"syscall_sleep = 1000 ns    # derived: part of 3.5 us from waking to switch [lockstep cycle]\n"
"write = 1150 ns            # derived: half of what g2same leaves beside cycle and sleep [lockstep cycle]\n"
"read = 1150 ns             # derived: half of what g2same leaves beside cycle and sleep [lockstep cycle]\n"
"socket_write = 2600 ns     # derived: 2.35 us a message more than a pipe's, divided as counted [lockstep counted]\n"
"socket_read = 2050 ns      # derived: as socket_write [lockstep counted]\n"
;
/* clang-format on */
