/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel asks CPU after CPU. Most of them are busy, and their queues are far apart in
 * memory. Which CPUs run their idle task is kept as a mask (machine.idling), so only those
 * are asked whether nothing is on its way to them; and only those that ever had a task
 * of SCHED_IDLE (machine.had_idle_policy) whether they have nothing else. Steps and CPUs
 * looked at are counted by the bits of whole words.
 *
 * Cost: words of the mask, and one queue for each candidate.
 */
#include "sched/select/idle_find.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/select.h"
#include "sched/select/select_pelt.h"

/* The lowest N bits that are set in W, which has more. */
static uint64_t lowest_bits(uint64_t w, uint32_t n)
{
	uint64_t rest = w;

	/* bound: 64 */
	while (n--)
		rest &= rest - 1;
	return w & ~rest;
}

/* One word of the walk: the CPUs of W, all within the steps left. */
static void look_at(const struct kctx *k, const struct idle_walk *walk, uint32_t word, uint64_t w,
		    struct idle_found *f)
{
	uint64_t asked = w & walk->allowed->w[word], left = asked & k->m->idling->w[word];
	uint32_t first = word * 64;

	if (walk->either)
		left |= asked & k->m->had_idle_policy->w[word];
	for (; left; left &= left - 1) {
		uint32_t bit = (uint32_t)__builtin_ctzll(left);

		if (!idle_cpu(k, first + bit) && !(walk->either && sched_idle_cpu(k, first + bit)))
			continue;
		f->cpu = first + bit;
		asked &= UINT64_MAX >> (63 - bit);
		break;
	}
	f->looked_at += popcount64(asked);
	if (f->sched_idle != CPU_NONE || walk->either)
		return;
	for (left = asked & k->m->had_idle_policy->w[word]; left; left &= left - 1) {
		uint32_t cpu = first + (uint32_t)__builtin_ctzll(left);

		if (cpu == f->cpu || !sched_idle_cpu(k, cpu))
			continue;
		f->sched_idle = cpu;
		return;
	}
}

struct idle_found idle_find(const struct kctx *k, const struct idle_walk *walk)
{
	struct idle_found f = {.cpu = CPU_NONE, .sched_idle = CPU_NONE};
	uint32_t nwords = walk->span->nwords, begin = walk->start >> 6, steps = walk->steps;
	uint64_t from_start = UINT64_MAX << (walk->start & 63);

	CHECK(begin < nwords);
	/* the word of START comes twice: its upper part first, its lower part last */
	for (uint32_t i = 0; i <= nwords; i++) {
		uint32_t word = begin + i < nwords ? begin + i : begin + i - nwords;
		uint64_t w = walk->span->w[word];
		uint32_t n;

		if (i == 0)
			w &= from_start;
		else if (i == nwords)
			w &= ~from_start;
		n = popcount64(w);
		f.cut = n > steps;
		if (f.cut)
			w = lowest_bits(w, steps);
		look_at(k, walk, word, w, &f);
		if (f.cpu != CPU_NONE)
			f.cut = false;
		if (f.cpu != CPU_NONE || f.cut)
			break;
		steps -= n;
	}
	return f;
}
