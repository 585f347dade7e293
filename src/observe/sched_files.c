/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/sched_files.h"

#include "base/check.h"
#include "observe/sched_features.h"
#include "observe/topo_text.h"

/* The order in which kernels from 5.10 on print flags. */
static const uint32_t flag_order[] = {
	SD_BALANCE_NEWIDLE,       SD_BALANCE_EXEC,   SD_BALANCE_FORK,
	SD_BALANCE_WAKE,          SD_WAKE_AFFINE,    SD_ASYM_CPUCAPACITY,
	SD_ASYM_CPUCAPACITY_FULL, SD_SHARE_CPUPOWER, SD_CLUSTER,
	SD_SHARE_PKG_RESOURCES,   SD_SERIALIZE,      SD_ASYM_PACKING,
	SD_PREFER_SIBLING,        SD_OVERLAP,        SD_NUMA,
};

static bool is_612(const struct kver *v)
{
	return v->schedstat_version > 15;
}

static const char *name_of_flag(enum sd_words words, uint32_t wanted)
{
	const char *name;
	uint32_t flag;

	for (size_t i = 0; (name = sd_flag_name(words, i, &flag)); i++)
		if (flag == wanted)
			return name;
	CHECK(false && "no such flag");
	return NULL;
}

static void put_flags(struct text *t, enum sd_words words, uint32_t flags)
{
	bool first = true;

	for (size_t i = 0; i < sizeof(flag_order) / sizeof(flag_order[0]); i++) {
		if (!(flags & flag_order[i]))
			continue;
		text_str(t, first ? "SD_" : "|SD_");
		text_str(t, name_of_flag(words, flag_order[i]));
		first = false;
	}
}

static void put_number(struct text *t, const char *file, uint64_t v)
{
	text_char(t, ' ');
	text_str(t, file);
	text_char(t, '=');
	text_u64(t, v);
}

static void put_domain(struct text *t, const struct kver *v, const struct sched_domain *sd)
{
	enum sd_words words = is_612(v) ? SD_WORDS_LLC : SD_WORDS_CPUCAPACITY;

	put_number(t, "busy_factor", sd->busy_factor);
	put_number(t, "cache_nice_tries", sd->cache_nice_tries);
	text_str(t, " flags=");
	put_flags(t, words, sd->flags);
	if (is_612(v)) {
		text_str(t, " groups_flags=");
		put_flags(t, words, sd->groups->flags);
	}
	put_number(t, "imbalance_pct", sd->imbalance_pct);
	if (is_612(v))
		put_number(t, "level", sd->topo_level);
	put_number(t, "max_interval", sd->max_interval_ms);
	put_number(t, "max_newidle_lb_cost", sd->max_newidle_lb_cost_ns);
	put_number(t, "min_interval", sd->min_interval_ms);
	text_str(t, " name=");
	text_str(t, sd->name);
	text_char(t, '\n');
}

static void put_tunable(struct text *t, const struct machine *m, enum tunable_id id,
			const char *file, uint64_t value)
{
	if (!(m->v->tun_known >> id & 1))
		return;
	text_str(t, file);
	text_char(t, '=');
	text_u64(t, value);
	text_char(t, '\n');
}

static void put_tunables(struct text *t, const struct machine *m)
{
	const struct tunables *tun = &m->tun;

	put_tunable(t, m, TUN_idle_min_granularity_ns, "idle_min_granularity_ns",
		    tun->idle_min_granularity_ns);
	put_tunable(t, m, TUN_latency_ns, "latency_ns", tun->latency_ns);
	put_tunable(t, m, TUN_migration_cost_ns, "migration_cost_ns", tun->migration_cost_ns);
	put_tunable(t, m, TUN_min_granularity_ns, "min_granularity_ns", tun->min_granularity_ns);
	put_tunable(t, m, TUN_nr_migrate, "nr_migrate", tun->nr_migrate);
	put_tunable(t, m, TUN_wakeup_granularity_ns, "wakeup_granularity_ns",
		    tun->wakeup_granularity_ns);
}

bool export_sched_files_knows(const struct kver *v, struct rql_error *e)
{
	return kver_has(v, FEAT_RUNNABLE_COUNT) ||
	       err_set(e, "sched-files", v->version, " has no such files; ",
		       "6.1 is the first that has them");
}

bool export_sched_files(struct text *t, const struct machine *m, struct rql_error *e)
{
	uint32_t cpu;

	if (!export_sched_files_knows(m->v, e))
		return false;
	text_str(t, "features=");
	export_sched_features(t, m->v);
	put_tunables(t, m);
	mask_for_each(cpu, m->online) {
		uint32_t level = 0;

		for (const struct sched_domain *sd = m->cpus[cpu].rq.sd; sd; sd = sd->parent) {
			text_str(t, "cpu");
			text_u64(t, cpu);
			text_str(t, "/domain");
			text_u64(t, level++);
			put_domain(t, m->v, sd);
		}
	}
	if (t->failed) {
		err_set(e, "sched-files", "no memory for the text", NULL, NULL);
		e->limit = true;
		return false;
	}
	return true;
}
