/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A checker of a whole run: real-time tasks run where they can. No real-time
 * task waits for long while a CPU it may use runs something less important,
 * unless the kernel itself leaves it so.
 *
 *	struct rt_order *o = rt_order_create(m, &err);
 *
 *	o->bound_ns, o->answer_ns: see below;
 *	give &o->sink every record of the run from the first on;
 *	const char *bad = rt_order_violation(o);	NULL: all is well
 *	rt_order_free(o);
 *
 * Where the machine exists only after the first tasks were created, their records
 * may be left out. The machine is only read. Kernels 3.3 to 5.5 are meant.
 */
#ifndef RUNQLAB_OBSERVE_RT_ORDER_H
#define RUNQLAB_OBSERVE_RT_ORDER_H

#include "base/err.h"
#include "model/machine.h"

enum rt_order_state {
	RT_ORDER_FINE,
	RT_ORDER_OWED,    /* somebody must move the task */
	RT_ORDER_EXCUSED, /* nobody need: nothing has made the kernel look */
};

/* The first pushable task of one CPU, against another CPU. */
struct rt_order_pair {
	enum rt_order_state state;
	uint64_t since_ns;
};

/* What a CPU ran when it was looked at. */
struct rt_order_look {
	uint32_t prio;
	bool stopper;
	bool due; /* a reschedule was */
	bool throttled;
};

struct rt_order_cpu {
	struct rt_order_look now, before; /* the last two looks */
	uint32_t curr;     /* id of what ran when last looked; 0: idle task or stopper */
	uint32_t first;    /* first pushable task; 0: none */
	bool new_first;    /* ... it was another at some time since the last look */
	uint64_t searches; /* rt_stats as last looked */
	uint64_t given_up;
	uint64_t late_since_ns; /* something better than what runs is queued here since; TIME_NEVER */
	bool switched, dropped; /* since last looked: see rt_order.c */
};

struct rt_order_task {
	bool fresh; /* began to wait since last looked, so that the kernel looks for another CPU */
	uint64_t unasked_ns; /* then it began to wait and the kernel did not, or gave up; 0: no */
};

struct rt_order {
	struct record_sink sink; /* first */
	const struct machine *m;
	uint64_t bound_ns; /* a task that is owed a move has it by then; default rt_order_bound_ns() */
	uint64_t answer_ns; /* a CPU that is to reschedule has done so by then; TIME_NEVER: no such law */
	struct rt_order_cpu *cpu;   /* [cpu] */
	struct rt_order_task *task; /* [id - 1] */
	struct rt_order_pair *pair; /* [cpu * ncpus + other] */
	uint64_t nowed;      /* moves that were owed so far; 0 means that nothing was checked */
	uint64_t longest_ns; /* the longest of them that came */
	bool failed;
	char violation[256];
};

/*
 * How long what is right may last that looks wrong: a waker, pusher or puller that
 * has queued the task or lowered its own priority first waits for locks. Each
 * other CPU may hold or want the lock, for the longest section under a lock: a balancing
 * pass of 32 tasks, or else everything once. Then an interrupt.
 */
uint64_t rt_order_bound_ns(const struct prices *prices, uint32_t ncpus);

/*
 * What comes on top with RT_PUSH_IPI: the work that was sent goes from CPU to CPU, and may just
 * have left the one that matters; twice round, each time an interrupt and everything once.
 */
uint64_t rt_order_rounds_ns(const struct prices *prices, uint32_t ncpus);

/* NULL and *E when memory runs out. */
struct rt_order *rt_order_create(const struct machine *m, struct rql_error *e);
void rt_order_free(struct rt_order *o);

/* The first violation as one line, or NULL. Valid until freed. */
const char *rt_order_violation(const struct rt_order *o);

#endif
