/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel goes through all CPUs of a domain whenever it balances or places a new task, and
 * on a big machine hardly any of them has changed since it last did. Each CPU's part is
 * kept; a part that changed is taken out of the sums of the CPU's groups and put in anew.
 * Groups with the same CPUs have one sgc, and so one sum.
 *
 * Invariant: set_sums[s] is the sum of share[i].now over the CPUs i of set s, and share[i].now is
 * true unless i is in stale_sums. Sums are unsigned and may wrap on the way.
 * Cost: a refresh looks at each marked CPU once; one that did not change touches no group.
 */
#include "sched/select/cpu_sums.h"

#include "base/check.h"
#include "sched/pelt/util_est.h"
#include "sched/select/select.h"

uint64_t cpu_sums_bytes_max(uint32_t ncpus)
{
	/* a set has at least two CPUs */
	uint64_t nsets = (uint64_t)ncpus * CPU_SETS_MAX / 2;

	return ncpus * sizeof(struct cpu_share) + nsets * sizeof(struct cpu_sums) +
	       mask_size(ncpus) + 3 * 64;
}

static bool has_room_for(const struct machine *m, const struct sched_group *g)
{
	for (uint32_t i = 0; i < g->ncpus; i++)
		if (m->share[g->cpu[i]].nsets == CPU_SETS_MAX)
			return false;
	return true;
}

/* G's sgc is met for the first time. */
static void keep_sums_of(struct machine *m, const struct sched_group *g)
{
	if (g->ncpus == 1) {
		g->sgc->sums = &m->share[g->cpu[0]].now;
		return;
	}
	if (!has_room_for(m, g))
		return;
	for (uint32_t i = 0; i < g->ncpus; i++) {
		struct cpu_share *share = &m->share[g->cpu[i]];

		share->set[share->nsets++] = m->nset_sums;
	}
	g->sgc->sums = &m->set_sums[m->nset_sums++];
}

bool cpu_sums_init(struct machine *m)
{
	void *mask = arena_alloc(m->arena, 1, mask_size(m->ncpus));

	m->share = arena_alloc(m->arena, m->ncpus, sizeof(*m->share));
	m->set_sums =
		arena_alloc(m->arena, (size_t)m->ncpus * CPU_SETS_MAX / 2, sizeof(*m->set_sums));
	if (m->arena->failed)
		return false;
	m->stale_sums = mask_init(mask, m->ncpus);
	mask_copy(m->stale_sums, m->online);
	for (uint32_t i = 0; i < m->nsgroups; i++)
		if (!m->sgroups[i]->sgc->sums)
			keep_sums_of(m, m->sgroups[i]);
	return true;
}

struct cpu_sums cpu_sums_of(const struct kctx *k, uint32_t cpu)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);
	const struct cfs_rq *q = rq->cfs;

	return (struct cpu_sums){
		.load_avg = q->avg.load_avg,
		.runnable_avg = q->avg.runnable_avg,
		.missing_cap = rq->cpu_capacity_orig - rq->cpu_capacity,
		.util = (uint32_t)cpu_util(k, cpu),
		.nr_running = rq->nr_running,
		.h_nr_running = q->h_nr_running,
		.idle_cpus = !rq->nr_running && idle_cpu(k, cpu),
		.crowded_cpus = rq->nr_running > 1,
	};
}

/* Field by field: what was just written cannot be read in greater pieces at once. */
static bool same_sums(const struct cpu_sums *a, const struct cpu_sums *b)
{
	return a->load_avg == b->load_avg && a->runnable_avg == b->runnable_avg &&
	       a->missing_cap == b->missing_cap && a->util == b->util &&
	       a->nr_running == b->nr_running && a->h_nr_running == b->h_nr_running &&
	       a->idle_cpus == b->idle_cpus && a->crowded_cpus == b->crowded_cpus;
}

/* What is new of a CPU that was OLD; what is less wraps. */
static struct cpu_sums difference(const struct cpu_sums *new, const struct cpu_sums *old)
{
	return (struct cpu_sums){
		.load_avg = new->load_avg - old->load_avg,
		.runnable_avg = new->runnable_avg - old->runnable_avg,
		.missing_cap = new->missing_cap - old->missing_cap,
		.util = new->util - old->util,
		.nr_running = new->nr_running - old->nr_running,
		.h_nr_running = new->h_nr_running - old->h_nr_running,
		.idle_cpus = (uint16_t)(new->idle_cpus - old->idle_cpus),
		.crowded_cpus = (uint16_t)(new->crowded_cpus - old->crowded_cpus),
	};
}

static void add_to(struct cpu_sums *sum, const struct cpu_sums *part)
{
	sum->load_avg += part->load_avg;
	sum->runnable_avg += part->runnable_avg;
	sum->missing_cap += part->missing_cap;
	sum->util += part->util;
	sum->nr_running += part->nr_running;
	sum->h_nr_running += part->h_nr_running;
	sum->idle_cpus = (uint16_t)(sum->idle_cpus + part->idle_cpus);
	sum->crowded_cpus = (uint16_t)(sum->crowded_cpus + part->crowded_cpus);
}

static void refresh_cpu(struct kctx *k, uint32_t cpu)
{
	struct cpu_share *share = &k->m->share[cpu];
	struct cpu_sums new = cpu_sums_of(k, cpu), change;

	if (same_sums(&new, &share->now))
		return;
	change = difference(&new, &share->now);
	for (uint32_t i = 0; i < share->nsets; i++)
		add_to(&k->m->set_sums[share->set[i]], &change);
	share->now = new;
}

void cpu_sums_refresh(struct kctx *k)
{
	struct mask *stale = k->m->stale_sums;

	for (uint32_t word = 0; word < stale->nwords; word++) {
		for (uint64_t left = stale->w[word]; left; left &= left - 1) {
			uint32_t cpu = word * 64 + (uint32_t)__builtin_ctzll(left);

			if (rq_of_cpu(k->m, cpu)->lock.owner == CPU_NONE)
				mask_clear(stale, cpu);
			refresh_cpu(k, cpu);
		}
	}
}

/* The set that MEMBERS CPUs are in is the sum of their parts. */
static void audit_set(const struct machine *m, uint32_t set)
{
	struct cpu_sums sum = {.load_avg = 0};

	for (uint32_t i = 0; i < m->ncpus; i++)
		for (uint32_t j = 0; j < m->share[i].nsets; j++)
			if (m->share[i].set[j] == set)
				add_to(&sum, &m->share[i].now);
	CHECK(same_sums(&sum, &m->set_sums[set]));
}

void cpu_sums_audit(struct machine *m)
{
	if (!m->stale_sums)
		return;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		struct cpu_sums now;

		if (!m->cpus[i].online || mask_test(m->stale_sums, i))
			continue;
		now = cpu_sums_of(&m->cpus[i].k, i);
		CHECK(same_sums(&now, &m->share[i].now));
	}
	for (uint32_t set = 0; set < m->nset_sums; set++)
		audit_set(m, set);
}
