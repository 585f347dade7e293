/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps are laid out from the older kernel to the newer one, in the order of
 * the table of deltas, which is upstream's: so the kernels on the way are like
 * those of history, with what the older one lacks coming in and what the newer
 * one lost going out where it stood. What texts set beside deltas comes last.
 * The older kernel is the one that lacks the last of the deltas that differ. Where
 * it is the bad one, the steps are walked backwards.
 *
 * A change that is not possible yet waits: a delta for what it needs, or for
 * the going of what it excludes; a delta that goes for those that need it. By needs
 * and exclusions alone one of the changes left is always possible: one that
 * goes and that no other needs or, when all have gone, one that comes and whose need
 * is there. Features may tie changes together, so runs of several are tried, too.
 *
 * Whether a kernel is possible is asked of kver_parse(), by its text.
 */
#include "experiment/bisect_plan.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"

static bool has(uint64_t set, uint32_t bit)
{
	return set >> bit & 1;
}

/* -- what differs -- */

static void add_change(struct bisect_plan *p, enum bisect_kind kind, uint32_t id)
{
	CHECK(p->nchanges < BISECT_STEPS_MAX);
	p->change[p->nchanges++] = (struct bisect_change){.kind = kind, .id = id};
}

static bool feature_differs(const struct bisect_plan *p, enum feature f)
{
	return feature_set_has(&p->good.features_on, f) !=
		       feature_set_has(&p->bad.features_on, f) ||
	       feature_set_has(&p->good.features_off, f) !=
		       feature_set_has(&p->bad.features_off, f);
}

static bool tunable_differs(const struct bisect_plan *p, uint32_t i)
{
	if (has(p->good.tun_set, i) != has(p->bad.tun_set, i))
		return true;
	return has(p->good.tun_set, i) && p->good.tun[i] != p->bad.tun[i];
}

static void find_changes(struct bisect_plan *p)
{
	u128 deltas = p->good.deltas ^ p->bad.deltas;

	p->bad_is_newer = true;
	for (uint32_t i = 0; kver_delta(i); i++) {
		if (!kver_set_has(p->good.profile, deltas, i))
			continue;
		add_change(p, BISECT_DELTA, i);
		p->bad_is_newer = kver_set_has(p->bad.profile, p->bad.deltas, i);
	}
	for (enum feature f = 0; f < FEATURE_COUNT; f++)
		if (feature_differs(p, f))
			add_change(p, BISECT_FEATURE, f);
	for (uint32_t i = 0; i < TUNABLE_COUNT; i++)
		if (tunable_differs(p, i))
			add_change(p, BISECT_TUNABLE, i);
	if (p->good.hz != p->bad.hz)
		add_change(p, BISECT_HZ, 0);
	if (p->good.preempt != p->bad.preempt)
		add_change(p, BISECT_PREEMPT, 0);
}

/* -- a kernel on the way -- */

static u128 with_bit(u128 set, u128 bit, u128 from)
{
	return (set & ~bit) | (from & bit);
}

static void copy_feature(struct feature_set *to, enum feature f, const struct feature_set *from)
{
	if (feature_set_has(from, f))
		feature_set_add(to, f);
	else
		feature_set_remove(to, f);
}

static void make_change(struct kver_parts *to, const struct bisect_change *c,
			const struct kver_parts *as)
{
	switch (c->kind) {
	case BISECT_DELTA:
		to->deltas = with_bit(to->deltas, kver_delta_bit(c->id), as->deltas);
		break;
	case BISECT_FEATURE:
		copy_feature(&to->features_on, (enum feature)c->id, &as->features_on);
		copy_feature(&to->features_off, (enum feature)c->id, &as->features_off);
		break;
	case BISECT_TUNABLE:
		to->tun_set = (uint64_t)with_bit(to->tun_set, (u128)1 << c->id, as->tun_set);
		to->tun[c->id] = as->tun[c->id];
		break;
	case BISECT_HZ:
		to->hz = as->hz;
		break;
	case BISECT_PREEMPT:
		to->preempt = as->preempt;
		break;
	}
}

static uint32_t distance(const struct kver_parts *k, const struct kver_profile *profile)
{
	u128 differ = k->deltas ^ profile->deltas;

	return (uint32_t)(__builtin_popcountll((uint64_t)differ) +
			  __builtin_popcountll((uint64_t)(differ >> 64)));
}

static const struct kver_profile *nearest_profile(const struct bisect_plan *p,
						  const struct kver_parts *k)
{
	const struct kver_profile *best = p->good.profile;

	if (distance(k, p->bad.profile) < distance(k, best))
		best = p->bad.profile;
	for (uint32_t i = 0; kver_profile(i); i++) {
		const struct kver_profile *x = kver_profile(i);

		if (x->family == best->family && !x->approximate && !x->rt_only &&
		    distance(k, x) < distance(k, best))
			best = x;
	}
	return best;
}

/* The kernel with the changes of MADE[nchanges] as in the bad one. */
static bool write_kernel(const struct bisect_plan *p, const bool *made, char *text)
{
	struct kver_parts k = p->good;
	uint32_t count = 0;
	struct rql_error e;
	struct kver v;

	for (uint32_t i = 0; i < p->nchanges; i++) {
		if (!made[i])
			continue;
		make_change(&k, &p->change[i], &p->bad);
		count++;
	}
	/* the ends are called what the user calls them */
	if (count == 0 || count == p->nchanges) {
		memcpy(text, p->text[count > 0], KVER_NAME_BYTES);
		return true;
	}
	k.profile = nearest_profile(p, &k);
	return kver_write(&k, text, KVER_NAME_BYTES) && kver_parse(text, &v, &e);
}

bool bisect_plan_kernel(const struct bisect_plan *p, const bool *as_bad, char text[KVER_NAME_BYTES])
{
	bool made[BISECT_STEPS_MAX];

	for (uint32_t i = 0; i < p->nchanges; i++)
		made[i] = as_bad[p->change[i].step];
	return write_kernel(p, made, text);
}

/* -- the order -- */

/* The first LENGTH or fewer of the changes not made, from number FROM on: added to MADE. */
static bool add_run(uint32_t n, const bool *made, uint32_t from, uint32_t length, bool *out)
{
	memcpy(out, made, n * sizeof(*out));
	for (uint32_t i = from; i < n && length; i++) {
		if (made[i])
			continue;
		out[i] = true;
		length--;
	}
	return length == 0;
}

/* Add to MADE the first shortest run that is possible. */
static void add_step(uint32_t n, bisect_possible *possible, void *arg, bool *made)
{
	bool next[BISECT_STEPS_MAX];

	for (uint32_t length = 1; length <= n; length++) {
		for (uint32_t from = 0; from < n; from++) {
			if (made[from] || !add_run(n, made, from, length, next) ||
			    !possible(arg, next))
				continue;
			memcpy(made, next, n * sizeof(*made));
			return;
		}
	}
	CHECK(false && "all changes together are not possible");
}

uint32_t bisect_plan_order(uint32_t n, bisect_possible *possible, void *arg, uint32_t *step_of)
{
	bool made[BISECT_STEPS_MAX] = {false}, before[BISECT_STEPS_MAX];
	uint32_t nsteps = 0, ndone = 0;

	CHECK(n <= BISECT_STEPS_MAX);
	while (ndone < n) {
		memcpy(before, made, sizeof(before));
		add_step(n, possible, arg, made);
		for (uint32_t i = 0; i < n; i++) {
			if (made[i] == before[i])
				continue;
			step_of[i] = nsteps;
			ndone++;
		}
		nsteps++;
	}
	return nsteps;
}

/* MADE counts from the older kernel. */
static bool is_possible(void *arg, const bool *made)
{
	const struct bisect_plan *p = arg;
	bool as_bad[BISECT_STEPS_MAX];
	char text[KVER_NAME_BYTES];

	for (uint32_t i = 0; i < p->nchanges; i++)
		as_bad[i] = p->bad_is_newer ? made[i] : !made[i];
	return write_kernel(p, as_bad, text);
}

bool bisect_plan_make(struct bisect_plan *p, const char *good, const char *bad, struct rql_error *e)
{
	uint32_t step_of[BISECT_STEPS_MAX];

	memset(p, 0, sizeof(*p));
	if (!kver_take_apart(good, &p->good, e) || !kver_take_apart(bad, &p->bad, e))
		return false;
	if (p->good.profile->family != p->bad.profile->family)
		return err_printf(
			e, NULL,
			"no kernels lie between %.100s and %.100s: their deltas start from "
			"different versions; two up to 4.0 or two from 5.4 on are right",
			good, bad);
	snprintf(p->text[0], sizeof(p->text[0]), "%s", good);
	snprintf(p->text[1], sizeof(p->text[1]), "%s", bad);
	find_changes(p);
	if (!p->nchanges)
		return err_printf(e, NULL,
				  "%.100s and %.100s are the same kernel here: no delta and no "
				  "setting differs; two that differ are right",
				  good, bad);
	p->nsteps = bisect_plan_order(p->nchanges, is_possible, p, step_of);
	for (uint32_t i = 0; i < p->nchanges; i++)
		p->change[i].step = p->bad_is_newer ? step_of[i] : p->nsteps - 1 - step_of[i];
	return true;
}

/* -- words -- */

const struct kver_delta *bisect_plan_delta(const struct bisect_change *change)
{
	return change->kind == BISECT_DELTA ? kver_delta(change->id) : NULL;
}

static void feature_item(const struct bisect_plan *p, enum feature f, char *out)
{
	const char *name = kver_feature_info(f)->name;

	if (feature_set_has(&p->bad.features_on, f))
		snprintf(out, BISECT_ITEM_BYTES, "%s", name);
	else if (feature_set_has(&p->bad.features_off, f))
		snprintf(out, BISECT_ITEM_BYTES, "NO_%s", name);
	else
		snprintf(out, BISECT_ITEM_BYTES, "(%s)", name);
}

static void tunable_item(const struct bisect_plan *p, uint32_t i, char *out)
{
	const char *name = kver_tunable_name(p->bad.profile->family, (enum tunable_id)i);

	if (!has(p->bad.tun_set, i))
		snprintf(out, BISECT_ITEM_BYTES, "(%s)", name);
	else if (p->bad.tun[i] == TUNABLE_NONE)
		snprintf(out, BISECT_ITEM_BYTES, "%s=-1", name);
	else
		snprintf(out, BISECT_ITEM_BYTES, "%s=%llu", name,
			 (unsigned long long)p->bad.tun[i]);
}

void bisect_plan_item(const struct bisect_plan *p, const struct bisect_change *change,
		      char out[BISECT_ITEM_BYTES])
{
	switch (change->kind) {
	case BISECT_DELTA:
		snprintf(out, BISECT_ITEM_BYTES, "%c%s",
			 kver_set_has(p->bad.profile, p->bad.deltas, change->id) ? '+' : '-',
			 kver_delta(change->id)->name);
		break;
	case BISECT_FEATURE:
		feature_item(p, (enum feature)change->id, out);
		break;
	case BISECT_TUNABLE:
		tunable_item(p, change->id, out);
		break;
	case BISECT_HZ:
		snprintf(out, BISECT_ITEM_BYTES, p->bad.hz ? "hz=%llu" : "(hz)",
			 (unsigned long long)p->bad.hz);
		break;
	case BISECT_PREEMPT:
		if (p->bad.preempt < 0)
			snprintf(out, BISECT_ITEM_BYTES, "(preempt)");
		else
			snprintf(out, BISECT_ITEM_BYTES, "preempt=%s",
				 kver_preempt_name((enum preempt_model)p->bad.preempt));
		break;
	}
}
