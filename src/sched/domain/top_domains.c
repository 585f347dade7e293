/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains that a CPU's wake-ups and kicks look for, found by one walk up its chain. CPUs that
 * share no cache with another are a cache of their own: size 1, their own number as id, so that
 * equal ids always mean a shared cache.
 *
 * Linux: kernel/sched/topology.c update_top_cache_domain(), kernel/sched/sched.h
 * highest_flag_domain(), lowest_flag_domain(), 5.4 to 6.12.
 */
#include "sched/domain/domain.h"

#include "base/check.h"

void top_domains_find(struct top_domains *out, struct sched_domain *bottom, uint32_t cpu,
		      const struct domain_rules *rules)
{
	uint32_t asym = rules->asym_by_domain ? SD_ASYM_CPUCAPACITY_FULL : SD_ASYM_CPUCAPACITY;
	const struct sched_domain *cluster = NULL;

	*out = (struct top_domains){.sd_llc_size = 1, .sd_llc_id = cpu};
	for (struct sched_domain *sd = bottom; sd; sd = sd->parent) {
		CHECK(mask_test(sd->span, cpu));
		if (sd->flags & SD_SHARE_PKG_RESOURCES)
			out->sd_llc = sd;
		if (sd->flags & SD_ASYM_PACKING)
			out->sd_asym_packing = sd;
		if (!out->sd_numa && (sd->flags & SD_NUMA))
			out->sd_numa = sd;
		if (!out->sd_asym_cpucapacity && (sd->flags & asym))
			out->sd_asym_cpucapacity = sd;
		if (!cluster && (sd->flags & SD_CLUSTER))
			cluster = sd;
	}
	if (out->sd_llc) {
		out->sd_llc_size = out->sd_llc->span_weight;
		out->sd_llc_id = mask_first(out->sd_llc->span);
		out->sd_llc_shared = out->sd_llc->shared;
	}
	out->sd_share_id = cluster ? mask_first(cluster->span) : out->sd_llc_id;
}
