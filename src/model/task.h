/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A task, and the groups tasks live in. */
#ifndef RUNQLAB_MODEL_TASK_H
#define RUNQLAB_MODEL_TASK_H

#include "model/behaviour.h"
#include "model/entity.h"
#include "model/rt.h"

struct sched_class;

enum task_state {
	TASK_NEW,           /* created, never queued */
	TASK_RUNNING,       /* runs or wants to */
	TASK_INTERRUPTIBLE, /* asleep, or about to be */
	TASK_WAKING,        /* a wake-up is choosing its CPU */
	TASK_DEAD,
};

/* What the engine keeps with a task; the scheduler does not look. */
struct task_exec {
	struct behaviour *behaviour; /* NULL: idle task or stopper */
	uint32_t index;              /* the task's number in its workload */
	uint32_t work;               /* which workload of the run */
	uint64_t left;         /* work, CPU time or end time of the action under way; 0: done */
	uint32_t target;       /* of a fork under way: the child's number */
	uint32_t last_cpu;     /* where it ran last; CPU_NONE: never ran */
	uint32_t timer_cpu;    /* where its sleep timer fires; CPU_NONE: no timer is set */
	uint32_t idle_actions; /* actions since time last passed for it */
	uint8_t kind;          /* enum action_kind under way */
	bool reaps;            /* a process it waited for ended, and it has not seen that yet */
	bool in_kernel;        /* ... which is system-call work */
	bool process;          /* has an address space of its own */
};

struct task_stats {
	uint64_t queued_since_ns; /* when it last began to wait for a CPU */
	uint64_t arrived_ns;      /* when it last got one */
	uint64_t run_delay_ns;
	uint64_t nr_switches_voluntary, nr_switches_involuntary;
	uint64_t nr_migrations;
};

/*
 * By lines of the cache, which tasks of workloads begin at: what queueing needs; what a burst's end needs; what
 * waking and switching need besides; what is seldom looked at.
 */
struct task {
	struct entity se;
	struct list lb_node;    /* in cfs_rq.tasks or rq.cfs_tasks while queued */
	struct task *wake_next; /* in rq.wake_list */
	/* kernels with PELT: whom it wakes */
	struct task *last_wakee;
	uint64_t wakee_flip_decay_at; /* [jiffies] */

	struct task_exec exec;
	uint32_t id;        /* 1.. in order of creation; 0: an idle task */
	uint32_t cpu;       /* where it is queued or was last; [rq] */
	uint8_t state;      /* enum task_state; [rq] */
	uint8_t policy;     /* enum sched_policy */
	int8_t nice;        /* -20..19 */
	bool need_resched;  /* TIF_NEED_RESCHED */
	bool on_cpu;        /* it is some CPU's current */
	bool kthread;       /* of the kernel */
	bool migrating;     /* off one queue, not yet on the next: balancing moves it */
	bool wake_migrated; /* being woken on another CPU than it was on */

	const struct sched_class *class;
	struct task_group *tg;
	const struct mask *allowed; /* CPUs it may run on */
	uint32_t nr_allowed;
	uint32_t prio;        /* 0..99 real-time, 100..139 fair, DL_PRIO; lower goes first */
	uint32_t wakee_flips; /* wake-ups of another task than the last time, halved each s */
	uint32_t recent_used_cpu;
	struct task_stats stats;

	uint32_t migrate_to;  /* a stopper is to move it there; CPU_NONE: no */
	uint16_t rt_priority; /* 1..99 for FIFO and RR */
	struct dl_entity *dl; /* NULL in kernels without SCHED_DEADLINE */
	struct rt_entity rt;
	struct list migrate_node;
	/* averages of kernels with AVG_WAKEUP or AVG_OVERLAP, ns of its own run time */
	uint64_t avg_wakeup_ns, avg_overlap_ns, last_wakeup_ns, start_runtime_ns;
	/* in synchronize_rcu(): the grace period it waits for, 0: not given yet; the next that waits, by id */
	uint64_t rcu_seq;
	uint32_t rcu_next;
	char comm[16];
	unsigned char unused[32]; /* fills the line */
};

_Static_assert(sizeof(struct task) % 64 == 0, "tasks are to begin at lines of the cache");

struct task_group {
	struct task_group *parent;          /* NULL: the root */
	struct task_group *sibling, *child; /* children newest first */
	struct list all;                    /* in machine.groups, newest first, root last */
	uint64_t shares;                    /* 1024 = one nice-0 task, machine-wide */
	bool idle;             /* all of it counts as SCHED_IDLE; kernels with IDLE_GROUPS */
	int64_t load_weight;   /* sum of the contributions of its cfs_rqs, all CPUs */
	int64_t load_avg;      /* the same in kernels with PELT; no lock */
	uint32_t id;           /* 0: the root */
	uint32_t depth;        /* 0: the root */
	struct cfs_rq *cfs_rq; /* [cpu] */
	struct entity *se;     /* [cpu]; NULL for the root */
	const char *path;      /* "/", "/a/b" */
	struct cfs_bandwidth bandwidth; /* kernels with CFS_BANDWIDTH */
};

static inline struct task *task_of(struct entity *se)
{
	return container_of(se, struct task, se);
}

#endif
