/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The culprit is where the prefixes of the list of steps turn from good to bad.
 * That alone proves little, because steps interact, so two more states are
 * judged: the good end with the culprit alone made, and the bad end with it alone
 * undone.
 *
 * If the first is still good, the culprit needs help from steps before it.
 * One helper is where, with the culprit made, the prefixes of those steps turn
 * bad; then both are held and so on. If the second is still bad, others do
 * harm without the culprit. They come after it: with the culprit undone, the
 * prefix that ends with it is good and the bad end is bad, so that the next one is where
 * the prefixes turn bad. This is greedy; each set is one that suffices, and
 * another may suffice as well.
 *
 * Not every state is possible. A state is approached instead: from one that
 * is possible, steps are moved towards it one by one as long as any can be. What
 * cannot move is bound to what is held: it needs it, or is needed.
 */
#include "experiment/bisect_search.h"

#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"

enum family {
	PREFIX,   /* steps before AT are made */
	ADDING,   /* these and those of the set, none after the culprit */
	REMOVING, /* steps before AT without those of the set */
};

bool bisect_search_same(const struct bisect_search *s, const bool *a, const bool *b)
{
	return memcmp(a, b, s->nsteps * sizeof(*a)) == 0;
}

static void prefix(bool *as_bad, uint32_t n)
{
	for (uint32_t i = 0; i < BISECT_STEPS_MAX; i++)
		as_bad[i] = i < n;
}

/* Move steps of AS_BAD to where they are in TO, as far as it is possible. */
static void approach(const struct bisect_search *s, bool *as_bad, const bool *to)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < s->nsteps; i++) {
			if (as_bad[i] == to[i])
				continue;
			as_bad[i] = to[i];
			if (s->possible(s->arg, as_bad))
				moved = true;
			else
				as_bad[i] = !to[i];
		}
	}
}

static void state_of(const struct bisect_search *s, enum family family, uint32_t at, bool *as_bad)
{
	bool to[BISECT_STEPS_MAX];

	prefix(to, at);
	if (family == PREFIX) {
		memcpy(as_bad, to, sizeof(to));
		return;
	}
	if (family == ADDING) {
		prefix(as_bad, s->culprit + 1);
		for (uint32_t i = 0; i < s->adding.nsteps; i++)
			to[s->adding.step[i]] = true;
	} else {
		prefix(as_bad, s->culprit);
		for (uint32_t i = 0; i < s->removing.nsteps; i++)
			to[s->removing.step[i]] = false;
	}
	approach(s, as_bad, to);
}

static void remember(struct bisect_search *s, const bool *as_bad, enum bisect_like like)
{
	struct bisect_judged *x = &s->judged[s->njudged++];

	memcpy(x->as_bad, as_bad, sizeof(x->as_bad));
	x->like = like;
}

/* The judgement of a state, once. */
static bool ask(struct bisect_search *s, const bool *as_bad, enum bisect_like *out,
		struct rql_error *e)
{
	for (uint32_t i = 0; i < s->njudged; i++) {
		if (!bisect_search_same(s, s->judged[i].as_bad, as_bad))
			continue;
		*out = s->judged[i].like;
		return true;
	}
	/* three bisections a member of a set, of 8 states each at most, stay below */
	CHECK(s->njudged < BISECT_JUDGED_MAX);
	if (!s->judge(s->arg, as_bad, out, e))
		return false;
	remember(s, as_bad, *out);
	return true;
}

/* The family is good at LOW and bad at HIGH: the step that makes the difference. */
static bool find_turn(struct bisect_search *s, enum family family, uint32_t low, uint32_t high,
		      uint32_t *step, struct rql_error *e)
{
	bool as_bad[BISECT_STEPS_MAX];
	enum bisect_like like;

	CHECK(low < high);
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		state_of(s, family, mid, as_bad);
		if (!ask(s, as_bad, &like, e))
			return false;
		if (like == BISECT_LIKE_GOOD)
			low = mid;
		else
			high = mid;
	}
	*step = low;
	return true;
}

/* Judge SET's state: of the good end with it, or of the bad end without it. */
static bool judge_set(struct bisect_search *s, enum family family, struct bisect_set *set,
		      struct rql_error *e)
{
	state_of(s, family, family == ADDING ? 0 : s->nsteps, set->as_bad);
	return ask(s, set->as_bad, &set->like, e);
}

/* Has it grown as far as it may? */
static bool is_full(const struct bisect_set *set)
{
	return set->nsteps == BISECT_SET_MAX;
}

static bool complete_adding(struct bisect_search *s, struct rql_error *e)
{
	struct bisect_set *set = &s->adding;
	uint32_t high = s->culprit, step;

	if (!judge_set(s, ADDING, set, e))
		return false;
	while (set->like == BISECT_LIKE_GOOD && !is_full(set)) {
		/* what is held at HIGH was bad, with the steps before it */
		if (!find_turn(s, ADDING, 0, high, &step, e))
			return false;
		set->step[set->nsteps++] = step;
		high = step;
		if (!judge_set(s, ADDING, set, e))
			return false;
	}
	return true;
}

static bool complete_removing(struct bisect_search *s, struct rql_error *e)
{
	struct bisect_set *set = &s->removing;
	uint32_t low = s->culprit + 1, step;

	if (!judge_set(s, REMOVING, set, e))
		return false;
	while (set->like == BISECT_LIKE_BAD && !is_full(set)) {
		if (!find_turn(s, REMOVING, low, s->nsteps, &step, e))
			return false;
		set->step[set->nsteps++] = step;
		low = step + 1;
		if (!judge_set(s, REMOVING, set, e))
			return false;
	}
	return true;
}

bool bisect_search_run(struct bisect_search *s, struct rql_error *e)
{
	bool as_bad[BISECT_STEPS_MAX];

	CHECK(s->nsteps >= 1);
	CHECK(s->nsteps <= BISECT_STEPS_MAX);
	prefix(as_bad, 0);
	remember(s, as_bad, BISECT_LIKE_GOOD);
	prefix(as_bad, s->nsteps);
	remember(s, as_bad, BISECT_LIKE_BAD);
	if (!find_turn(s, PREFIX, 0, s->nsteps, &s->culprit, e))
		return false;
	s->adding.step[s->adding.nsteps++] = s->culprit;
	s->removing.step[s->removing.nsteps++] = s->culprit;
	return complete_removing(s, e) && complete_adding(s, e);
}
