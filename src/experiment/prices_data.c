/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile `default` as text, in the format of a profile's file. It stands
 * for one reality of hardware: two-socket x86 servers of 2009 to 2012 at about
 * 2.5 GHz. It is the same for all kernels, workloads and cases.
 */
#include "experiment/prices.h"

/* The source of all estimates, once. */
#define SERVER "estimate for a 2-socket x86 server of 2009-2012; "

/* All compilers of Linux take strings of this length. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* clang-format off */
const char prices_default_text[] =
"[sched]\n"
"schedule = 250 ns       # " SERVER "about 600 cycles: entry, statistics, class loop\n"
"switch_locked = 750 ns  # " SERVER "half of a measured context switch of 1.5 us\n"
"switch_tail = 750 ns    # " SERVER "the other half: address space, registers, caches\n"
"wakeup = 500 ns         # " SERVER "two atomics and statistics on a remote task\n"
"enqueue = 120 ns        # " SERVER "a tree insertion, mostly in cache\n"
"dequeue = 120 ns        # " SERVER "a tree deletion, mostly in cache\n"
"pick = 60 ns            # " SERVER "leftmost node, buddies, a deletion from the tree\n"
"select_scan = 10 ns     # " SERVER "one remote run queue's line, partly prefetched\n"
"busiest_scan = 40 ns    # " SERVER "load, power and counts of one remote run queue\n"
"load_balance = 150 ns   # " SERVER "fixed part of one pass\n"
"examine = 60 ns         # " SERVER "one task's lines, cold, in a list walk; 60 to 100 ns\n"
"migrate = 700 ns        # " SERVER "about 1 us with its dequeue and enqueue\n"
"tg_walk = 30 ns         # " SERVER "one group's two per-CPU lines; 30 to 50 ns\n"
"shares = 40 ns          # " SERVER "one group's run queue on one CPU\n"
"tick = 800 ns           # " SERVER "timer interrupt with accounting\n"
"softirq = 200 ns        # " SERVER "softirq entry and the loop over domains\n"
"ipi_send = 200 ns       # " SERVER "a write to the interrupt controller\n"
"ipi_receive = 500 ns    # " SERVER "interrupt entry, acknowledgement, return\n"
"timer_irq = 900 ns      # " SERVER "high-resolution timer interrupt and handler\n"
"timer_arm = 200 ns      # " SERVER "programming the local timer\n"
"fork_sched = 300 ns     # " SERVER "task set-up within the scheduler\n"
"stopper = 500 ns        # " SERVER "one piece of work of a migration thread\n"
"\n"
"[lock]\n"
"same_cpu = 20 ns   # " SERVER "an atomic on a line in the own cache\n"
"same_llc = 60 ns   # " SERVER "the line comes from another core's cache\n"
"remote = 150 ns    # " SERVER "the line comes from the other socket\n"
"per_waiter = 15 ns # " SERVER "each spinning reader of a ticket lock delays the hand-over\n"
"\n"
"[hardware]\n"
"ipi_latency = 1000 ns    # " SERVER "from the write to the first instruction\n"
"idle_exit = 1500 ns      # " SERVER "leaving a shallow C-state\n"
"smt_slowdown = 160 pct   # " SERVER "a busy sibling leaves a thread about 62 % of a core\n"
"cold_same_llc = 500 ns   # " SERVER "refilling the core's own caches from the LLC\n"
"cold_remote = 4000 ns    # " SERVER "refilling them from the other socket\n"
"\n"
"[work]\n"
"fork = 60 us             # " SERVER "fork of a small process, in the parent\n"
"child_first_run = 160 us # " SERVER "page faults and copies before a child's own code\n"
"thread = 15 us           # " SERVER "a stack from the heap and a clone that shares all\n"
"thread_first_run = 5 us  # " SERVER "faults on the new stack\n"
"exit = 20 us             # " SERVER "tearing down a small process\n"
"syscall_sleep = 300 ns   # " SERVER "entering and leaving a sleep\n"
"write = 1500 ns          # " SERVER "a small message into a local socket\n"
"read = 1700 ns           # " SERVER "a small message out of a local socket\n"
;
/* clang-format on */
