/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where workloads and the engine meet. A workload is a set of tasks numbered
 * from 0; the first (usually task 0 alone) exist at the start, every other is created by an
 * ACTION_FORK that names it. Whenever a task has finished its last action and
 * is running on a CPU, the engine asks next() what it does now.
 *
 * The workload keeps its own objects (barriers, sockets, queues) and says
 * only what the kernel would see: run, block, wake, sleep, fork, exit. All
 * calls come one at a time in order of simulated time, so no locking is
 * needed on the workload's side.
 *
 * Blocking and waking: ACTION_BLOCK takes effect (the task's state changes) at
 * the moment next() returns it, so a wake-up by another task after that moment
 * is never lost: either it finds the task still running and cancels the sleep,
 * or it wakes it. next() is then asked again.
 */
#ifndef RUNQLAB_MODEL_BEHAVIOUR_H
#define RUNQLAB_MODEL_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mask;

enum action_kind {
	/* Compute `ns` of work: time on an otherwise idle core of capacity 1024. */
	ACTION_RUN,
	/* Compute for `ns` of CPU time, however fast the CPU is. */
	ACTION_RUN_CPUTIME,
	/* Compute until the simulated time `ns` (being preempted does not extend it). */
	ACTION_RUN_UNTIL,
	/* Sleep for `ns` from now (a timer on this CPU). ns >= 1. */
	ACTION_SLEEP,
	/* Sleep until simulated time `ns`; in the past: goes on at once. */
	ACTION_SLEEP_UNTIL,
	/* Sleep until a wake-up. */
	ACTION_BLOCK,
	/*
	 * Busy-wait: use the CPU until ACTION_RELEASE by another task, or until the
	 * simulated time `ns` (UINT64_MAX: no limit). As with ACTION_BLOCK a release
	 * after next() returned is never lost.
	 */
	ACTION_SPIN,
	/* End the busy-wait of task `task` of this workload: a store it watches; costs nothing. */
	ACTION_RELEASE,
	/* Wake task `task` of this workload (not running or not asleep: no effect). */
	ACTION_WAKE,
	/* Create task `task` of this workload, which must not exist yet. */
	ACTION_FORK,
	/*
	 * Take, let go of, spinlock `task` of this workload (numbers below nlocks): a lock of the
	 * kernel that system calls contend for, such as a wait queue's. Between the two nothing may
	 * take time but further locks, wakes and ACTION_LOCKED_WORK; no preemption, no interrupts.
	 */
	ACTION_LOCK,
	ACTION_UNLOCK,
	/* Work of `ns` under a lock: time passes on this CPU at once, whatever else happens. */
	ACTION_LOCKED_WORK,
	ACTION_YIELD,
	/* The task becomes another program: it may be moved, then takes the price of an exec. */
	ACTION_EXEC,
	/* The task ends. The last exit of a workload ends it. */
	ACTION_EXIT,
	/* Change the task's own nice value to `value`. */
	ACTION_SET_NICE,
	/*
	 * Change the task's own policy: `policy`, and `value` (nice value or rt_priority) or `dl`.
	 * What the kernel would refuse (EBUSY: no bandwidth left) ends the run with an error.
	 */
	ACTION_SET_POLICY,
	/*
	 * Restrict the task to `cpus` (owned by the workload, valid for the run). The kernel refuses
	 * CPUs that are all offline (EINVAL), and fewer than all (EBUSY) to a deadline task: that ends
	 * the run with an error.
	 */
	ACTION_SET_AFFINITY,
	/* `value` units of useful work were completed: what throughput counts. No time passes. */
	ACTION_DONE,
	/* The benchmark starts its clock (first one counts). No time passes. */
	ACTION_START_MARK,
	/* The benchmark stops its clock (last one counts; without any: the last exit). No time passes. */
	ACTION_END_MARK,
	/*
	 * The task is the kernel's rcu_preempt: it does what grace periods need now and sleeps until
	 * that changes. One task of a run may do so; with it the run has RCU.
	 */
	ACTION_RCU,
	/* The task left something for RCU to free, beyond what fork, exec and exit do. No time passes. */
	ACTION_CALL_RCU,
	/* Sleep until an RCU grace period has begun and ended: nobody else may wake it. Without RCU it goes on. */
	ACTION_SYNCHRONIZE_RCU,
	ACTION_KIND_COUNT
};

#define ACTION_IN_KERNEL                                                                           \
	1u /* ACTION_RUN*: system-call work: no preemption before its end unless preempt=full */
#define ACTION_SYNC 2u /* ACTION_WAKE: the waker is about to sleep (WF_SYNC) */
#define ACTION_FORK_EXTRA                                                                          \
	4u /* ACTION_FORK: `ns` is the price of this fork instead of the profile's */
/*
 * ACTION_RUN: `ns` is in 1024ths of the profile's price of writing, of reading a small message.
 * On the way the cache line of lock `task` of this workload is fetched, at the price of taking
 * that lock when nobody holds it; the lock is not taken.
 */
#define ACTION_PRICE_WRITE 8u
#define ACTION_PRICE_READ 16u
#define ACTION_PRICE_SOCKET 64u /* with one of both: through a socket, not a pipe */
/*
 * ACTION_SLEEP, ACTION_SLEEP_UNTIL: what ends the sleep is an interrupt on CPU `value`, as that
 * of a device, not a timer that the task sets itself. Below 0 or not online: on this CPU.
 */
#define ACTION_IRQ_ON 32u

/* As in include/uapi/linux/sched.h. */
enum sched_policy {
	POLICY_NORMAL = 0,
	POLICY_FIFO = 1,
	POLICY_RR = 2,
	POLICY_BATCH = 3,
	POLICY_IDLE = 5,
	POLICY_DEADLINE = 6,
};

/* Is it a policy of the fair class? */
static inline bool policy_is_fair(enum sched_policy policy)
{
	return policy == POLICY_NORMAL || policy == POLICY_BATCH || policy == POLICY_IDLE;
}

/*
 * What SCHED_DEADLINE promises: RUNTIME_NS of CPU time in each PERIOD_NS, within DEADLINE_NS of
 * its start. period 0: as the deadline. Linux: struct sched_attr.
 */
struct dl_params {
	uint64_t runtime_ns, deadline_ns, period_ns;
	uint32_t flags; /* DL_RECLAIM */
};

#define DL_RECLAIM 2u /* SCHED_FLAG_RECLAIM */

struct action {
	enum action_kind kind;
	uint32_t flags;
	uint64_t ns;
	uint32_t task;
	enum sched_policy policy;
	int64_t value;
	const struct mask *cpus;
	const struct dl_params *dl; /* ACTION_SET_POLICY with POLICY_DEADLINE */
};

/* What a task is at its creation. */
struct task_attr {
	char comm[16];            /* the kernel's: at most 15 characters */
	enum sched_policy policy; /* default POLICY_NORMAL */
	int32_t nice;             /* -20..19 */
	int32_t rt_priority;      /* 1..99 for FIFO and RR, else 0 */
	struct dl_params dl;      /* for DEADLINE */
	const struct mask
		*cpus;  /* allowed CPUs; NULL: all. Owned by the workload, valid for the run */
	bool process;   /* made by fork, not as a thread: other prices of creation */
	bool kthread;   /* of the kernel; with one CPU allowed it is that CPU's own */
	uint32_t group; /* the run's task group number GROUP, counted from 1; 0: the workload's */
	/*
	 * How long it wants to run at a time: 0.1 to 100 ms, others are brought into this range.
	 * 0: as its parent, or as the kernel says. Means something in kernels with EEVDF only.
	 */
	uint64_t slice_ns;
};

/*
 * Samples that one task of a workload took, such as how late it ran. With a histogram, bucket
 * i counts those from i * bucket_ns to below (i + 1) * bucket_ns, `overflow` those beyond.
 */
struct behaviour_report {
	const char *what;     /* one word, as "wakeup_latency" */
	uint32_t task;        /* whose they are */
	int32_t rt_priority;  /* it asked for; 0: none */
	uint64_t interval_ns; /* between two samples, as planned; 0: no plan */
	uint64_t count;
	uint64_t min_ns, last_ns, max_ns, sum_ns; /* of the samples; 0 when count is */
	uint64_t bucket_ns;
	uint32_t nbuckets;      /* 0: no histogram */
	const uint64_t *bucket; /* [nbuckets] */
	uint64_t overflow;
};

struct behaviour;

struct behaviour_ops {
	/*
	 * Task TASK is on a CPU at NOW_NS with nothing to do: fill *OUT (already zeroed). Must
	 * eventually return an action that takes time: the engine ends the run with an error
	 * after 100,000 actions of one task without progress of time.
	 */
	void (*next)(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out);
	/* Fill *OUT (already zeroed) for task TASK; called once, just before it is created. */
	void (*attr)(struct behaviour *b, uint32_t task, struct task_attr *out);
	/*
	 * TASK's exit has taken its time and the task is about to go. True with an ACTION_WAKE in
	 * *OUT (zeroed) to wake who waits for that, as a parent. NULL: nobody does.
	 */
	bool (*ended)(struct behaviour *b, uint32_t task, struct action *out);
	/*
	 * The I-th set of attributes that tasks of B are created with or take later: policy, nice,
	 * rt_priority and dl of *OUT (zeroed). False after the last. NULL: what attr() says is all.
	 */
	bool (*policy)(const struct behaviour *b, uint32_t i, struct task_attr *out);
	/*
	 * The I-th thing B measured itself, in *OUT (zeroed); false after the last. Valid as long
	 * as B, during a run too. NULL: it measures nothing.
	 */
	bool (*report)(const struct behaviour *b, uint32_t i, struct behaviour_report *out);
};

/* One workload in a run; the first member of whatever the workload needs beside it. */
struct behaviour {
	const struct behaviour_ops *ops;
	uint32_t nfirst; /* tasks that exist at the start, numbers 0 to nfirst - 1; 0 stands for 1 */
	uint32_t ntasks;  /* tasks it may create in all, task 0 included; at least 1 */
	uint32_t nlocks;  /* spinlocks it uses */
	uint32_t ngroups; /* the greatest task_attr.group it names */
	bool endless;     /* never ends by itself: the run needs a duration */
	/* What next() looks at for task i begins at state + i * state_bytes. NULL: not told. */
	const unsigned char *state;
	size_t state_bytes;
	bool rcu; /* its first task is rcu_preempt: a run has at most one */
};

#endif
