/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Equal tasks that begin on one CPU spread until no CPU idles while a task
 * waits nearby, on kernels without the stale h_load: 2.6.31 and 2.6.35. (The
 * others move whole queues at once and leave CPUs idle now and then.)
 *
 * Nearby is the same node, or a node with more than half as many tasks again:
 * between nodes a quarter more load counts as balanced (imbalance_pct 125).
 *
 * The bound: an idle CPU balances each domain at least every 512 ms, the
 * longest interval that pinned tasks lead to; in eight seconds it has tried
 * fifteen times. Random machines without SMT (where a busy sibling makes an
 * idle thread count as busy, which multiplies the interval by 64), one package a
 * node, up to 48 CPUs, 1 to 3 tasks a CPU.
 *
 * A failure prints the command that replays its seed alone.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/mask.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "experiment/prices.h"
#include "import/machine.h"
#include "kver/kver.h"

#define SETTLED_NS (8 * NS_PER_S)
#define END_NS (10 * NS_PER_S)
#define NODES_MAX 4u

static const char *program;

/* Tasks made on CPU 0, confined to it for their first 100 us, then free. */
struct pile {
	struct behaviour behaviour; /* first */
	uint32_t nforked;
	struct mask *one, *all;
	uint8_t *step; /* [task] */
};

static void pile_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct pile *p = (struct pile *)(void *)b;

	if (task == 0 && p->nforked < b->ntasks) {
		out->kind = ACTION_FORK;
		out->task = p->nforked++;
		return;
	}
	switch (p->step[task]++) {
	case 0:
		out->kind = ACTION_RUN;
		out->ns = 100 * NS_PER_US;
		break;
	case 1:
		out->kind = ACTION_SET_AFFINITY;
		out->cpus = p->all;
		break;
	default:
		out->kind = ACTION_RUN;
		out->ns = UINT64_C(1) << 60;
		break;
	}
}

static void pile_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	struct pile *p = (struct pile *)(void *)b;

	snprintf(out->comm, sizeof(out->comm), "pile/%u", (unsigned)task);
	out->cpus = p->one;
}

static const struct behaviour_ops pile_ops = {.next = pile_next, .attr = pile_attr};

struct watch {
	uint64_t settled_count, bad_count, bad_ns;
	uint32_t bad_cpu;
};

/* Should IDLE's node have got a task of the node NODE, which has some that wait? */
static bool is_nearby(const uint32_t *tasks, uint32_t idle_node, uint32_t node)
{
	return node == idle_node || 2 * tasks[node] > 3 * tasks[idle_node];
}

static void look(void *arg, const struct machine *m, uint64_t now_ns)
{
	struct watch *w = arg;
	uint32_t tasks[NODES_MAX] = {0};
	bool waits[NODES_MAX] = {false};

	if (now_ns < SETTLED_NS)
		return;
	w->settled_count++;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		tasks[m->cpus[i].node] += m->cpus[i].rq.nr_running;
		waits[m->cpus[i].node] |= m->cpus[i].rq.nr_running > 1;
	}
	for (uint32_t i = 0; i < m->ncpus; i++) {
		if (m->cpus[i].rq.nr_running)
			continue;
		for (uint32_t n = 0; n < NODES_MAX; n++) {
			if (!waits[n] || !is_nearby(tasks, m->cpus[i].node, n))
				continue;
			w->bad_count++;
			w->bad_ns = now_ns;
			w->bad_cpu = i;
		}
	}
}

static struct mask *new_mask(uint32_t ncpus)
{
	return mask_init(malloc(mask_size(ncpus)), ncpus);
}

static void try_seed(uint64_t seed)
{
	struct rng r = rng_stream(seed, "spread", 0);
	struct watch w = {0};
	struct pile pile = {.behaviour = {.ops = &pile_ops, .endless = true}, .nforked = 1};
	struct engine_work_config work = {.behaviour = &pile.behaviour, .group = ENGINE_ROOT_GROUP};
	const char *version = rng_below(&r, 2) ? "2.6.31" : "2.6.35";
	struct engine_config cfg = {
		.seed = seed,
		.duration_ns = END_NS,
		.memory_limit_bytes = UINT64_C(1) << 30,
		.events_limit = UINT64_C(1) << 40,
		.work = &work,
		.nwork = 1,
		.sampler = {10 * NS_PER_MS, look, &w},
	};
	struct topology topo;
	struct prices prices;
	struct rql_error e = {0};
	struct kver v;
	struct engine *eng;
	char machine[64];

	snprintf(machine, sizeof(machine), "%ux%ux1", (unsigned)rng_between(&r, 1, NODES_MAX),
		 (unsigned)rng_between(&r, 1, 12));
	assert_true(machine_load(machine, &topo, &e));
	assert_true(kver_parse(version, &v, &e));
	assert_true(prices_builtin("default", &prices));
	cfg.topo = &topo;
	cfg.v = &v;
	cfg.prices = &prices;
	pile.behaviour.ntasks = (uint32_t)rng_between(&r, topo.ncpus, UINT64_C(3) * topo.ncpus);
	pile.step = calloc(pile.behaviour.ntasks, 1);
	pile.one = new_mask(topo.ncpus);
	pile.all = new_mask(topo.ncpus);
	mask_set(pile.one, 0);
	mask_fill(pile.all, topo.ncpus);
	eng = engine_create(&cfg, &e);
	assert_non_null(eng);
	assert_int_equal(engine_run(eng, &e), ENGINE_END_DURATION);
	assert_true(w.settled_count > 100);
	if (w.bad_count)
		fail_msg("seed %llu (%s, %s, %u tasks): cpu %u idles at %llu ms while tasks wait "
			 "nearby, %llu times in %llu samples\nreplay: RUNQLAB_SEED=%llu %s",
			 (unsigned long long)seed, machine, version,
			 (unsigned)pile.behaviour.ntasks, (unsigned)w.bad_cpu,
			 (unsigned long long)(w.bad_ns / NS_PER_MS),
			 (unsigned long long)w.bad_count, (unsigned long long)w.settled_count,
			 (unsigned long long)seed, program);
	engine_destroy(eng);
	free(pile.step);
	free(pile.one);
	free(pile.all);
	topology_free(&topo);
}

static void test_equal_tasks_spread_over_all_cpus(void **state)
{
	property_run(20, try_seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_tasks_spread_over_all_cpus),
	};

	program = argv[0];
	return argc > 1 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
