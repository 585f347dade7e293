/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's way out, answered with simulated time.
 *
 * A section of kernel code runs ahead of the other CPUs until it reaches a lock
 * or a peek. There it waits until every event with an earlier time has
 * happened; so CPUs meet at locks in the order of their clocks. Locks are granted
 * in the order of arrival: a CPU that finds one taken, or free only from a later time on,
 * has its turn reserved. Taking a lock costs by where its cache line was last;
 * handing over a ticket lock costs more the more CPUs watch it. Behind a queued
 * lock only the first waiter watches the line.
 *
 * With `atomic`, sections never yield and no lock is ever found taken.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "base/hash.h"
#include "engine/internal.h"

/* Let all earlier events happen first. */
static inline void interleave(struct kctx *k)
{
	struct engine *eng = engine_of(k);

	if (eng->cfg.atomic || event_time(horizon_key(eng)) >= k->now_ns)
		return;
	engine_yield(eng, ecpu_of(k), event_key(k->now_ns, RANK_RESUME, k->cpu->id));
}

/* Book the time since START on the lock's path element below the current path. */
static void book_lock_time(struct kctx *k, const struct klock *l, uint64_t start_ns)
{
	uint32_t node = path_child(k->m->paths, k->path, (enum path_elem)l->path_elem);
	uint64_t ns = k->now_ns - start_ns;

	k->sched_ns += ns;
	k->m->paths->node[node].ns += ns;
	k->m->paths->node[node].count++;
}

static void join_queue(struct kctx *k, struct klock *l)
{
	uint32_t me = k->cpu->id;

	k->cpu->lock_next = CPU_NONE;
	if (l->wait_first == CPU_NONE)
		l->wait_first = me;
	else
		k->m->cpus[l->wait_last].lock_next = me;
	l->wait_last = me;
	l->nwaiters++;
}

/* The lock is taken, or free only later: have a turn reserved and wait for it. */
static void wait_for_lock(struct kctx *k, struct klock *l)
{
	struct engine *eng = engine_of(k);
	uint64_t start_ns = k->now_ns;

	l->contended_count++;
	if (l->owner == CPU_NONE) {
		l->owner = k->cpu->id;
		k->now_ns = l->free_ns + klock_transfer_ns(k, l);
		interleave(k);
	} else {
		join_queue(k, l);
		engine_yield(eng, ecpu_of(k), EVENT_NEVER);
	}
	CHECK(l->owner == k->cpu->id);
	l->wait_ns += k->now_ns - start_ns;
	book_lock_time(k, l, start_ns);
}

static void take_free_lock(struct kctx *k, struct klock *l)
{
	uint64_t start_ns = k->now_ns;

	l->owner = k->cpu->id;
	k->now_ns += klock_transfer_ns(k, l);
	book_lock_time(k, l, start_ns);
}

static void sim_lock(struct kctx *k, struct klock *l)
{
	interleave(k);
	CHECK(l->owner != k->cpu->id);
	l->acquired_count++;
	if (l->owner == CPU_NONE && (l->free_ns <= k->now_ns || engine_of(k)->cfg.atomic))
		take_free_lock(k, l);
	else
		wait_for_lock(k, l);
}

static bool sim_trylock(struct kctx *k, struct klock *l)
{
	interleave(k);
	CHECK(l->owner != k->cpu->id);
	if (l->owner != CPU_NONE || (l->free_ns > k->now_ns && !engine_of(k)->cfg.atomic))
		return false;
	l->acquired_count++;
	take_free_lock(k, l);
	return true;
}

/*
 * Give the lock to the first waiter, whose section goes on when it has arrived there.
 * Linux: a ticket lock; kernel/locking/qspinlock.c with QUEUED_LOCKS: x86 from 4.2, arm64 from 4.19.
 * Deviation: telling the second waiter that it is first now delays nobody, and nobody jumps the queue.
 */
static void hand_over(struct kctx *k, struct klock *l)
{
	struct engine *eng = engine_of(k);
	struct cpu *next = &k->m->cpus[l->wait_first];

	l->wait_first = next->lock_next;
	if (l->wait_first == CPU_NONE)
		l->wait_last = CPU_NONE;
	l->nwaiters--;
	l->owner = next->id;
	next->k.now_ns = max_u64(next->k.now_ns, k->now_ns) + klock_transfer_ns(&next->k, l);
	if (!feat(k, FEAT_QUEUED_LOCKS))
		next->k.now_ns += (uint64_t)k->prices->lock.per_waiter_ns * l->nwaiters;
	event_set(&eng->events, next->id, event_key(next->k.now_ns, RANK_RESUME, next->id));
}

static void sim_unlock(struct kctx *k, struct klock *l)
{
	CHECK(l->owner == k->cpu->id);
	l->last_cpu = k->cpu->id;
	l->free_ns = k->now_ns;
	l->owner = CPU_NONE;
	if (l->wait_first != CPU_NONE)
		hand_over(k, l);
}

static void book_wait(struct kctx *k, const struct kwait *w, uint64_t start_ns)
{
	uint32_t node = path_child(k->m->paths, k->path, (enum path_elem)w->path_elem);
	uint64_t ns = k->now_ns - start_ns;

	k->sched_ns += ns;
	k->m->paths->node[node].ns += ns;
	k->m->paths->node[node].count++;
}

static void sim_wait(struct kctx *k, struct kwait *w)
{
	uint64_t start_ns = k->now_ns;

	CHECK(!engine_of(k)->cfg.atomic);
	k->cpu->lock_next = w->first;
	w->first = k->cpu->id;
	engine_yield(engine_of(k), ecpu_of(k), EVENT_NEVER);
	book_wait(k, w, start_ns);
}

static void sim_wait_until_done(struct kctx *k, struct kwait *w)
{
	uint64_t start_ns = k->now_ns;

	if (w->done_ns <= start_ns || engine_of(k)->cfg.atomic)
		return;
	k->now_ns = w->done_ns;
	interleave(k);
	book_wait(k, w, start_ns);
}

static void sim_complete(struct kctx *k, struct kwait *w)
{
	struct engine *eng = engine_of(k);
	uint32_t id = w->first;

	w->first = CPU_NONE;
	w->done_ns = k->now_ns;
	while (id != CPU_NONE) {
		struct cpu *cpu = &k->m->cpus[id];

		id = cpu->lock_next;
		cpu->k.now_ns = max_u64(cpu->k.now_ns, k->now_ns);
		event_set(&eng->events, cpu->id, event_key(cpu->k.now_ns, RANK_RESUME, cpu->id));
	}
}

static void sim_interrupts(struct kctx *k)
{
	cpu_take_interrupts(engine_of(k), ecpu_of(k));
}

static void sim_peek(struct kctx *k)
{
	interleave(k);
}

static void sim_ipi(struct kctx *k, uint32_t cpu)
{
	struct engine *eng = engine_of(k);
	struct ecpu *target = &eng->cpus[cpu];
	uint64_t arrives_ns;

	charge(k, WORK_IPI_SEND, 1);
	arrives_ns =
		seen_from(eng, k->cpu->id, cpu, k->now_ns + k->prices->hardware.ipi_latency_ns);
	if (arrives_ns >= target->ipi_ns)
		return;
	target->ipi_ns = arrives_ns;
	if (!target->in_section)
		cpu_arm(eng, target);
}

static void sim_notice(struct kctx *k, uint32_t cpu)
{
	const struct lock_prices *p = &k->prices->lock;
	struct engine *eng = engine_of(k);
	struct ecpu *target = &eng->cpus[cpu];

	/* awake already: it looks at the end of its section */
	if (target->in_section)
		return;
	target->notice_ns = seen_from(
		eng, k->cpu->id, cpu,
		k->now_ns + (target->k->cpu->llc == k->cpu->llc ? p->same_llc_ns : p->remote_ns));
	cpu_arm(eng, target);
}

static const uint32_t fingerprint_kinds =
#define RECORD(name, fingerprint, a, b, c, d) (uint32_t)(fingerprint) << RECORD_##name |
#include "model/record.def"
	0;

static inline uint64_t rotate_half(uint64_t x)
{
	return x << 32 | x >> 32;
}

static void sim_record(struct kctx *k, enum record_kind kind, uint64_t a, uint64_t b, uint64_t c,
		       uint64_t d)
{
	struct engine *eng = engine_of(k);
	struct record_sink *const *taker = eng->takers[kind];
	struct record r;

	if (fingerprint_kinds >> kind & 1) {
		uint64_t h = eng->fingerprint;

		h = hash_step(h, k->now_ns);
		h = hash_step(h, (uint64_t)kind << 32 | k->cpu->id);
		h = hash_step(h, a ^ rotate_half(b));
		eng->fingerprint = hash_step(h, c ^ rotate_half(d));
	}
	if (!taker[0])
		return;
	r = (struct record){k->now_ns, k->cpu->id, kind, a, b, c, d};
	for (uint32_t i = 0; i < TAKERS_MAX - 1; i++) {
		if (!taker[i])
			return;
		taker[i]->take(taker[i], &r);
	}
	/* the last there is room for, and those behind it */
	for (struct record_sink *s = taker[TAKERS_MAX - 1]; s; s = s->next)
		if (s->wants >> kind & 1)
			s->take(s, &r);
}

const struct port_ops engine_port = {
	.lock = sim_lock,
	.trylock = sim_trylock,
	.unlock = sim_unlock,
	.peek = sim_peek,
	.interrupts = sim_interrupts,
	.wait = sim_wait,
	.wait_until_done = sim_wait_until_done,
	.complete = sim_complete,
	.timer_arm = sim_timer_arm,
	.timer_stop = sim_timer_stop,
	.ipi = sim_ipi,
	.notice = sim_notice,
	.record = sim_record,
};
