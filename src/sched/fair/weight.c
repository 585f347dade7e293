/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of weights (each nice level is worth about 1.25 times the next) and
 * the scaled multiplication. A division by a weight is a multiplication with
 * its inverse in 32-bit fixed point; the product is kept within 64 bits by
 * shifting in two steps when it is large. Up to 2.6.39 an inverse that is not
 * in the table is computed as 1 + (2^32 - w/2) / (w + 1), later as 2^32 / w.
 */
#include "sched/fair/weight.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/fair/weight_scaled.h"

/* clang-format off */
static const struct load_weight nice_weight[40] = {
	{88761,     48388}, {71755,     59856}, {56483,     76040}, {46273,     92818},
	{36291,    118348}, {29154,    147320}, {23254,    184698}, {18705,    229616},
	{14949,    287308}, {11916,    360437}, { 9548,    449829}, { 7620,    563644},
	{ 6100,    704093}, { 4904,    875809}, { 3906,   1099582}, { 3121,   1376151},
	{ 2501,   1717300}, { 1991,   2157191}, { 1586,   2708050}, { 1277,   3363326},
	{ 1024,   4194304}, {  820,   5237765}, {  655,   6557202}, {  526,   8165337},
	{  423,  10153587}, {  335,  12820798}, {  272,  15790321}, {  215,  19976592},
	{  172,  24970740}, {  137,  31350126}, {  110,  39045157}, {   87,  49367440},
	{   70,  61356676}, {   56,  76695844}, {   45,  95443717}, {   36, 119304647},
	{   29, 148102320}, {   23, 186737708}, {   18, 238609294}, {   15, 286331153},
};
/* clang-format on */

struct load_weight weight_of_nice(int32_t nice)
{
	CHECK(nice >= -20);
	CHECK(nice <= 19);
	return nice_weight[nice + 20];
}

struct load_weight weight_of_idle_policy(void)
{
	return (struct load_weight){3, 1431655765};
}

static uint64_t inverse_of(const struct kver *v, uint64_t weight)
{
	const uint64_t one = UINT64_C(1) << 32;

	if (weight >= one)
		return 1;
	if (v->inverse_plus_one)
		return 1 + (one - weight / 2) / (weight + 1);
	return weight ? one / weight : one;
}

/* x / 2^s rounded to nearest. */
static inline uint64_t shift_round(uint64_t x, unsigned s)
{
	return (x + (UINT64_C(1) << (s - 1))) >> s;
}

uint64_t calc_delta_mine(const struct kver *v, uint64_t delta, uint64_t weight,
			 struct load_weight *lw)
{
	uint64_t tmp, result;

	if (kver_has(v, FEAT_WEIGHTS_SCALED))
		return calc_delta_scaled(v, delta, weight, lw);
	if (unlikely(!lw->inv))
		lw->inv = inverse_of(v, lw->weight);
	tmp = delta * weight;
	if (!v->inverse_plus_one && weight <= 1)
		tmp = delta;
	if (unlikely(tmp > UINT64_C(1) << 32))
		result = shift_round(shift_round(tmp, 16) * lw->inv, 16);
	else
		result = shift_round(tmp * lw->inv, 32);
	return min_u64(result, INT64_MAX);
}
