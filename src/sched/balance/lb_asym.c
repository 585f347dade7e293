/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that rank their CPUs pack tasks on the highest. In later kernels (6.5 on,
 * LB_ASYM_IDLE_CORE) a rank is that of a core: it counts between the threads of one, else only
 * for a CPU whose siblings idle.
 *
 * Linux: kernel/sched/sched.h sched_asym_prefer(), kernel/sched/fair.c is_core_idle(),
 * sched_use_asym_prio(), sched_asym(); 5.4 to 6.12.
 */
#include "sched/balance/lb_env.h"
#include "sched/domain/domain.h"
#include "sched/select/select.h"
#include "sched/select/select_pelt.h"

bool sched_asym_prefer(const struct kctx *k, uint32_t a, uint32_t b)
{
	return asym_cpu_priority(k->m->topo, a) > asym_cpu_priority(k->m->topo, b);
}

bool rest_of_core_idles(const struct kctx *k, uint32_t cpu)
{
	const struct mask *threads = smt_span(k, cpu);
	uint32_t i;

	if (!threads)
		return true;
	mask_for_each(i, threads)
		if (i != cpu && !idle_cpu(k, i))
			return false;
	return true;
}

bool sched_use_asym_prio(const struct kctx *k, const struct sched_domain *sd, uint32_t cpu)
{
	if (!(sd->flags & SD_ASYM_PACKING))
		return false;
	return !k->m->smt_active || (sd->flags & SD_SHARE_CPUPOWER) || rest_of_core_idles(k, cpu);
}

bool sched_asym(const struct kctx *k, const struct sched_domain *sd, uint32_t dst, uint32_t src)
{
	return sched_use_asym_prio(k, sd, dst) && sched_asym_prefer(k, dst, src);
}
