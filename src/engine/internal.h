/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the engine share among themselves. */
#ifndef RUNQLAB_ENGINE_INTERNAL_H
#define RUNQLAB_ENGINE_INTERNAL_H

#include "engine/engine.h"
#include "engine/event.h"
#include "engine/fibre.h"
#include "sched/port.h"

/* Sinks of one kind of record that are found at once; the list is gone through for more. */
#define TAKERS_MAX 4

/* A CPU as the engine sees it. What a burst's end looks at comes first: one line of the cache. */
struct ecpu {
	struct kctx *k;
	uint64_t tick_ns;        /* next tick; TIME_NEVER: stopped */
	uint64_t ipi_ns;         /* earliest interrupt under way; TIME_NEVER: none */
	uint64_t burst_end_ns;   /* when the running task's work is done; TIME_NEVER: no work */
	uint64_t burst_start_ns; /* since when `left` is being worked off */
	struct task *burst_task; /* whose burst it is, while there is one */
	uint32_t id;
	uint32_t slow_q10;      /* time per work of the burst under way, 1024 = 1 */
	uint32_t fired_first;   /* timers that fired here, linked by engine.fired_next */
	uint16_t busy_siblings; /* other threads of its core that are busy */
	bool in_section;        /* kernel code runs (or is suspended) here */
	bool busy; /* its current task is not the idle task; as of the last section's end */

	const unsigned char *ahead[2]; /* what its next event will look at; see fetch_ahead() */
	uint64_t notice_ns;            /* when an idle CPU notices need_resched; TIME_NEVER: not */
	uint32_t slow_alone_q10, slow_shared_q10; /* with idle and with busy siblings */
	uint32_t slow_before_q10; /* slow_q10 up to burst_start_ns, where that was a change of speed */
	uint32_t fired_last;
	uint32_t smt_next;       /* next CPU of the same core, a ring; itself if alone */
	uint32_t locks_held;     /* workload's spinlocks: no interrupt or reschedule meanwhile */
	struct fibre *suspended; /* where its section goes on */
	uint64_t idle_since_ns;  /* TIME_NEVER: not idle */
	uint64_t idle_ns;
	uint64_t tick_offset_ns; /* phase of its tick */
	uint64_t unused[6];      /* fills an odd number of lines */
};

_Static_assert(sizeof(struct ecpu) == 192, "what a burst's end looks at is to be one line");

struct engine {
	struct engine_config cfg;
	struct machine *m;
	struct ecpu *cpus;
	uint32_t *llc; /* [cpu] its last-level cache, as in struct cpu: close together here */
	struct event_tree events;
	struct timer_tree timers;   /* ids of tasks, then kernel timers from max_tasks + 1 on */
	uint32_t *fired_next;       /* [timer]: next one that fired on the same CPU; 0: none */
	uint32_t *kernel_timer_cpu; /* [kernel timer]: where it fires, + 1; 0: not armed */
	uint32_t nkernel_timers;

	uint64_t end_ns; /* first instant that is not simulated any more */
	uint64_t next_sample_ns;
	uint64_t last_ns;     /* time of the last event */
	uint64_t still_count; /* events since time last moved */
	bool stop;
	enum engine_end end;
	struct rql_error *error;

	struct engine_work *work;
	struct task ***work_tasks; /* [work][index]; NULL until created */
	struct klock **work_locks; /* [work][lock] */
	uint32_t work_left;        /* workloads not ended */
	struct task_group **groups;
	/* [kind] the first sinks that want it, then NULL */
	struct record_sink *takers[RECORD_KINDS][TAKERS_MAX];

	struct fibre *root, *current;
	struct fibre **free_fibres, **all_fibres;
	uint32_t nfree_fibres, nall_fibres, max_fibres;

	uint64_t fingerprint;
	uint64_t engine_events, fibre_switches;
	struct arena arena;
	void *memory;
	uint64_t memory_bytes;
};

static inline struct engine *engine_of(const struct kctx *k)
{
	return k->driver;
}

static inline struct ecpu *ecpu_of(const struct kctx *k)
{
	return &engine_of(k)->cpus[k->cpu->id];
}

/* Moving lock L's cache line to this CPU. */
static inline uint64_t klock_transfer_ns(const struct kctx *k, const struct klock *l)
{
	const struct lock_prices *p = &k->prices->lock;

	if (l->last_cpu == k->cpu->id || l->last_cpu == CPU_NONE)
		return p->same_cpu_ns;
	return engine_of(k)->llc[l->last_cpu] == k->cpu->llc ? p->same_llc_ns : p->remote_ns;
}

/*
 * When CPU TO sees what would reach it at NS from CPU FROM. Where CPUs run by turns a quantum each, in
 * the order of their numbers, as they do in an emulator, that is the next round for one
 * whose turn in this round is over.
 * Deviation: rounds stand at multiples of the quantum; the emulator also begins one at each timer
 * and as soon as all CPUs halt. Who comes later in the round sees it even from the round's beginning
 * there, before it happened.
 */
static inline uint64_t seen_from(const struct engine *eng, uint32_t from, uint32_t to, uint64_t ns)
{
	uint64_t quantum_ns = eng->cfg.prices->hardware.quantum_ns;

	return quantum_ns && to < from ? (ns / quantum_ns + 1) * quantum_ns : ns;
}

/* Time of the earliest event of all. */
static inline uint64_t horizon_key(const struct engine *eng)
{
	uint64_t cpu_key = event_min(&eng->events);
	uint64_t timer_key = timer_min(&eng->timers);

	return cpu_key < timer_key ? cpu_key : timer_key;
}

static inline uint64_t total_events(const struct engine *eng)
{
	const struct machine_counts *c = &eng->m->count;

	return c->switches + c->wakeups + c->blocks + c->ticks;
}

/* loop.c: leave this section until everything earlier than its clock has run. */
void engine_yield(struct engine *eng, struct ecpu *c, uint64_t key);
/* ... end the run, with an error for *E or NULL. */
void engine_stop(struct engine *eng, enum engine_end end);
/*
 * A section of a run that is atomic takes longer than SECTION_NS_MAX: what a tick leaves to do takes longer
 * than a tick, so that it would go on for ever. Ends the run.
 */
void engine_section_never_ends(struct engine *eng);
#define SECTION_NS_MAX NS_PER_S

/* cpu.c: an event of CPU C is due. */
void cpu_run_event(struct engine *eng, struct ecpu *c, uint64_t time_ns, enum event_rank rank);
/* ... put C's next event into the tree; not during a section. */
void cpu_arm(struct engine *eng, struct ecpu *c);
/* ... the first section of each CPU and of each workload, at time 0. */
void cpu_boot(struct engine *eng);
/* ... take all interrupts that are pending, and what they raise. In a section, no lock held. */
void cpu_take_interrupts(struct engine *eng, struct ecpu *c);

/* timers.c: timer ID, which is not armed, fires on C at AT_NS, not before this section's present. */
void timer_arm_at(struct engine *eng, struct ecpu *c, uint32_t id, uint64_t at_ns);
/* ... the timer ID, set for CPU C, has gone off nowhere yet: forget it. False: it has. */
bool timer_disarm(struct engine *eng, struct ecpu *c, uint32_t id);
/* ... the first timer of all is due. */
void timer_fire(struct engine *eng);
/* ... handle what fired on C: an interrupt. */
void timers_take(struct engine *eng, struct ecpu *c);
/* ... port_ops. */
void sim_timer_arm(struct kctx *k, uint32_t timer, uint64_t at_ns);
bool sim_timer_stop(struct kctx *k, uint32_t timer);

/* actions.c: CURR has nothing left to do; do its next action. In a section of C. */
void action_next(struct engine *eng, struct ecpu *c, struct task *curr);
/* ... ask CURR's workload for the next action; false: the run ends instead. */
bool action_ask(struct engine *eng, struct ecpu *c, struct task *curr, struct action *a);
/* ... begin it, one of those that keep CURR on the CPU at work; needs no section. */
void action_run(struct engine *eng, struct ecpu *c, struct task *curr, const struct action *a);
/* ... do it, whatever it is. */
void action_do(struct engine *eng, struct ecpu *c, struct task *curr, const struct action *a);
/* ... create task INDEX of workload W, one of its first, on C and start it. */
void action_start_task(struct engine *eng, struct ecpu *c, uint32_t w, uint32_t index);

extern const struct port_ops engine_port;

#endif
