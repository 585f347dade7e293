/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk in search of an idle CPU, a second time as the kernel does it: CPU after CPU,
 * a step each. On machines of up to 200 CPUs in random states, also those in which a CPU
 * still runs its idle task while something is on its way to it, with any number of steps,
 * both must end at the same CPU, after as many looks.
 *
 * Linux: fair.c select_idle_cpu(), 5.4, 5.5.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/select/idle_find.h"
#include "sched/select/select.h"
#include "sched/select/select_pelt.h"

#include <stdio.h>
#include <stdlib.h>

#define CPUS_MAX 200u

struct world {
	struct machine m;
	struct kver v;
	struct cfs_rq cfs[CPUS_MAX];
	struct task other;
	uint64_t idling[MASK_WORDS(CPUS_MAX)], had[MASK_WORDS(CPUS_MAX)];
	uint64_t span[MASK_WORDS(CPUS_MAX)], allowed[MASK_WORDS(CPUS_MAX)];
};

static struct idle_found plain_walk(const struct kctx *k, const struct idle_walk *w)
{
	struct idle_found f = {.cpu = CPU_NONE, .sched_idle = CPU_NONE};
	uint32_t cpu = w->start, steps = w->steps;

	for (uint32_t i = 0; i < k->m->ncpus; i++, cpu = (cpu + 1) % k->m->ncpus) {
		if (!mask_test(w->span, cpu))
			continue;
		if (steps == 0) {
			f.cut = true;
			return f;
		}
		steps--;
		if (!mask_test(w->allowed, cpu))
			continue;
		f.looked_at++;
		if (idle_cpu(k, cpu) || (w->either && sched_idle_cpu(k, cpu))) {
			f.cpu = cpu;
			return f;
		}
		if (f.sched_idle == CPU_NONE && sched_idle_cpu(k, cpu))
			f.sched_idle = cpu;
	}
	return f;
}

/* One in ONE_IN of the CPUs of a new mask; ONE_IN 0: none. */
static struct mask *random_mask(uint64_t *mem, uint32_t ncpus, struct rng *r, uint64_t one_in)
{
	struct mask *m = mask_init(mem, ncpus);

	for (uint32_t i = 0; i < ncpus; i++)
		if (one_in && rng_below(r, one_in) == 0)
			mask_set(m, i);
	return m;
}

static void randomize_cpu(struct world *w, uint32_t i, struct rng *r, uint64_t idle_one_in,
			  bool idle_policy)
{
	struct rq *rq = &w->m.cpus[i].rq;
	bool idle = rng_below(r, idle_one_in) == 0;

	rq->cpu = i;
	rq->cfs = &w->cfs[i];
	rq->idle = &w->m.cpus[i].idle_task;
	rq->curr = idle ? rq->idle : &w->other;
	rq->nr_running = (uint32_t)(idle ? rng_below(r, 3) == 0 : rng_between(r, 1, 3));
	rq->wake_list = rng_below(r, 8) ? NULL : &w->other;
	rq->cfs->idle_h_nr_running = 0;
	if (idle)
		mask_set(w->m.idling, i);
	if (!idle_policy || rng_below(r, 4))
		return;
	/* some had such tasks and have none any more */
	mask_set(w->m.had_idle_policy, i);
	rq->cfs->idle_h_nr_running = (uint32_t)rng_below(r, rq->nr_running + 1);
}

static void try_seed(uint64_t seed)
{
	static struct world w;
	struct rng r = rng_stream(seed, "idle-find", 0);
	uint32_t ncpus = (uint32_t)rng_between(&r, 1, CPUS_MAX);
	uint64_t idle_one_in = rng_between(&r, 1, 100);
	bool idle_policy = rng_below(&r, 2);
	struct idle_walk walk = {.either = rng_below(&r, 2)};
	struct mask *span;
	struct kctx k;

	w.m = (struct machine){.ncpus = ncpus, .cpus = calloc(ncpus, sizeof(struct cpu))};
	assert_non_null(w.m.cpus);
	feature_set_add(&w.v.features, FEAT_IDLE_NEEDS_EMPTY);
	w.m.idling = mask_init(w.idling, ncpus);
	w.m.had_idle_policy = mask_init(w.had, ncpus);
	for (uint32_t i = 0; i < ncpus; i++)
		randomize_cpu(&w, i, &r, idle_one_in, idle_policy);
	k = (struct kctx){.m = &w.m, .v = &w.v, .cpu = &w.m.cpus[0]};

	span = random_mask(w.span, ncpus, &r, rng_between(&r, 1, 3));
	walk.start = (uint32_t)rng_below(&r, ncpus);
	if (rng_below(&r, 2))
		mask_set(span, walk.start);
	walk.span = span;
	walk.allowed = random_mask(w.allowed, ncpus, &r, rng_below(&r, 4));
	for (uint32_t i = 0; i < 20; i++) {
		struct idle_found is, should;

		walk.steps = i == 0 ? UINT32_MAX : (uint32_t)rng_below(&r, ncpus + 2);
		is = idle_find(&k, &walk);
		should = plain_walk(&k, &walk);
		if (is.cpu != should.cpu || is.cut != should.cut ||
		    is.looked_at != should.looked_at || is.sched_idle != should.sched_idle)
			fail_msg(
				"seed %lu, %u CPUs from %u, %u steps: CPU %u, not %u; %u looks, not %u; "
				"replay: RUNQLAB_SEED=%lu",
				(unsigned long)seed, ncpus, walk.start, walk.steps, is.cpu,
				should.cpu, is.looked_at, should.looked_at, (unsigned long)seed);
	}
	free(w.m.cpus);
}

static void test_walk_by_words_agrees_with_the_plain_one(void **state)
{
	property_run(2000, try_seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk_by_words_agrees_with_the_plain_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
