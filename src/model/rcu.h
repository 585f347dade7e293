/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of RCU, as far as it keeps ticks: sched/core/rcu.h. A grace period has a number;
 * callbacks wait for one to end, which needs a quiescent state of each CPU.
 */
#ifndef RUNQLAB_MODEL_RCU_H
#define RUNQLAB_MODEL_RCU_H

#include <stdbool.h>
#include <stdint.h>

struct mask;
struct task;

/* Of a CPU; its own but for what gp_kthread reports for it when it idles. Linux: struct rcu_data. */
struct rcu_data {
	uint64_t gp_seq;         /* the last grace period it heard of */
	uint64_t completed;      /* ... and the last of which it heard that it ended */
	uint64_t wait_seq;       /* it has callbacks that wait for this one; 0: none */
	uint64_t next_ready_seq; /* ... and others for the one after it; 0: none */
	uint32_t first_waiter; /* tasks that called synchronize_rcu() here, linked by rcu_next; 0: none */
	bool next;             /* ... and some that were not given one yet */
	bool done;             /* ... and some that may be invoked */
	bool needs_qs;         /* it owes GP_SEQ a quiescent state ... */
	bool passed;           /* ... and had one */
};

/* Linux: struct rcu_state. */
struct rcu_state {
	struct task *gp_kthread; /* NULL: this run has no RCU */
	uint64_t gp_seq;         /* the grace period that runs, or ran last */
	uint64_t needed;         /* the last that anybody asked for */
	bool in_progress;
	struct mask *qs_mask;   /* CPUs that owe it a quiescent state */
	uint64_t force_qs;      /* [jiffies] when gp_kthread looks at those */
	uint32_t timer_cpu;     /* where gp_kthread's timer is armed; CPU_NONE: it is not */
	uint64_t timer_jiffies; /* ... until */
	/* jiffies as timers see them: counted by the ticks of one CPU. Linux: tick_do_timer_cpu */
	uint64_t jiffies;
	uint32_t do_timer_cpu; /* CPU_NONE: the next that ticks */
};

#endif
