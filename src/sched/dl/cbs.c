/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The constant bandwidth server: a task gets RUNTIME in each PERIOD and no more
 * than that share, however it behaves. A deadline belongs to an amount of
 * runtime. A sleeper that comes back keeps both if using what is left until the
 * deadline stays within its bandwidth; else it gets new ones. A task that used
 * its runtime up waits for the next period, and pays there for what it ran over.
 *
 * Products of two times are taken in units of 1024 ns, which keeps them in 64 bits
 * and is exact enough: the kernel's own rounding.
 *
 * After L. Abeni, G. Buttazzo, "Integrating multimedia applications in hard
 * real-time systems", RTSS 1998; the revised rule for deadlines before the end of the period:
 * L. Abeni, G. Lipari, J. Lelli, "Constant bandwidth server revisited", 2014.
 *
 * Linux: kernel/sched/deadline.c update_dl_entity(), replenish_dl_entity().
 * Deviation: 3.14 to 4.11 compare with the period, not the deadline, and have
 * neither the revised rule nor the later start of constrained tasks' periods;
 * here it is as from 4.13 on. No inherited parameters.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/dl/dl.h"

#define DL_SCALE 10

uint64_t dl_next_period(const struct dl_entity *se)
{
	return se->deadline_ns - se->dl_deadline_ns + se->dl_period_ns;
}

void dl_new_instance(struct dl_entity *se, uint64_t now_ns)
{
	se->deadline_ns = now_ns + se->dl_deadline_ns;
	se->runtime_ns = (int64_t)se->dl_runtime_ns;
}

/*
 * Would what is left of the runtime until the deadline be more than the task's bandwidth?
 * runtime / (deadline - now) > dl_runtime / dl_deadline. Linux: dl_entity_overflow().
 */
static bool overflows(const struct dl_entity *se, uint64_t now_ns)
{
	uint64_t left =
		(se->dl_deadline_ns >> DL_SCALE) * (uint64_t)asr_s64(se->runtime_ns, DL_SCALE);
	uint64_t right = ((se->deadline_ns - now_ns) >> DL_SCALE) * (se->dl_runtime_ns >> DL_SCALE);

	return dl_time_before(right, left);
}

bool dl_update_entity(struct dl_entity *se, uint64_t now_ns)
{
	bool passed = dl_time_before(se->deadline_ns, now_ns);

	if (se->fresh) {
		se->fresh = false;
		dl_new_instance(se, now_ns);
		return true;
	}
	if (!passed && !overflows(se, now_ns))
		return false;
	/* the deadline stays: less runtime fits before it */
	if (!passed && !dl_is_implicit(se)) {
		se->runtime_ns =
			(int64_t)((u128)se->dl_density * (se->deadline_ns - now_ns) >> DL_BW_SHIFT);
		return false;
	}
	dl_new_instance(se, now_ns);
	return true;
}

void dl_replenish_entity(struct dl_entity *se, uint64_t now_ns)
{
	CHECK(se->dl_runtime_ns > 0);
	CHECK(!se->fresh);
	if (se->yielded && se->runtime_ns > 0)
		se->runtime_ns = 0;
	if (se->runtime_ns <= 0) {
		/* as many periods as it takes to have some left */
		uint64_t periods = (uint64_t)-se->runtime_ns / se->dl_runtime_ns + 1;

		se->deadline_ns += periods * se->dl_period_ns;
		se->runtime_ns += (int64_t)(periods * se->dl_runtime_ns);
	}
	/* too late to catch up */
	if (dl_time_before(se->deadline_ns, now_ns))
		dl_new_instance(se, now_ns);
	se->yielded = false;
	se->throttled = false;
}
