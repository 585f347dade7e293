/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The things events name, each once per kind and name (and task, for a task's
 * own timers), found through a hash table with open addressing that is never
 * walked. Files with hundreds of thousands of names stay linear.
 */
#include "import/rtapp_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/json_text.h"

bool rtapp_grow(void *base, uint32_t n, uint32_t more, uint32_t *cap, size_t size,
		struct rql_error *e)
{
	void **array = base;
	uint32_t wanted = *cap ? *cap : 64;
	void *bigger;

	/* the counts are bounded by the bytes of a file, far below 2^30 */
	CHECK(n + more < UINT32_C(1) << 30);
	if (n + more <= *cap)
		return true;
	while (wanted < n + more)
		wanted *= 2;
	bigger = realloc(*array, (size_t)wanted * size);
	if (!bigger)
		return err_set(e, NULL, "out of memory", NULL, NULL);
	*array = bigger;
	*cap = wanted;
	return true;
}

static uint32_t hash_of(enum rtapp_resource_kind kind, uint32_t owner, const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)kind ^ (uint64_t)owner << 8;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

/* The slot that holds the resource, or the empty one where it belongs. */
static uint32_t *slot_of(struct rtapp_plan *pl, enum rtapp_resource_kind kind, uint32_t owner,
			 const char *name)
{
	uint32_t at = hash_of(kind, owner, name);

	for (;; at++) {
		uint32_t *slot = &pl->slots[at & (pl->nslots - 1)];
		const struct rtapp_resource *r;

		if (*slot == 0)
			return slot;
		r = &pl->resources[*slot - 1];
		if (r->kind == kind && r->owner == owner && strcmp(pl->names + r->name, name) == 0)
			return slot;
	}
}

/* Keep at least half of the slots empty. */
static bool make_slots(struct rtapp_plan *pl, struct rql_error *e)
{
	uint32_t nslots = pl->nslots ? pl->nslots * 2 : 128;
	uint32_t *slots;

	if (pl->nslots > 2 * (pl->nresources + 1))
		return true;
	slots = calloc(nslots, sizeof(*slots));
	if (!slots)
		return err_set(e, NULL, "out of memory", NULL, NULL);
	free(pl->slots);
	pl->slots = slots;
	pl->nslots = nslots;
	for (uint32_t i = 0; i < pl->nresources; i++) {
		const struct rtapp_resource *r = &pl->resources[i];

		*slot_of(pl, r->kind, r->owner, pl->names + r->name) = i + 1;
	}
	return true;
}

bool rtapp_add_name(struct rtapp_plan *pl, const char *name, uint32_t *offset, struct rql_error *e)
{
	uint32_t n = (uint32_t)strlen(name) + 1;

	if (!rtapp_grow(&pl->names, pl->nnames, n, &pl->names_cap, 1, e))
		return false;
	memcpy(pl->names + pl->nnames, name, n);
	*offset = pl->nnames;
	pl->nnames += n;
	return true;
}

bool rtapp_resource(struct rtapp_plan *pl, const struct rtapp_resource *key, const char *name,
		    uint32_t *out, struct rql_error *e)
{
	uint32_t *slot;
	struct rtapp_resource *r;

	if (!make_slots(pl, e))
		return false;
	slot = slot_of(pl, key->kind, key->owner, name);
	if (*slot) {
		*out = *slot - 1;
		return true;
	}
	if (!rtapp_grow(&pl->resources, pl->nresources, 1, &pl->resources_cap,
			sizeof(*pl->resources), e))
		return false;
	r = &pl->resources[pl->nresources];
	*r = *key;
	r->users = 0;
	r->task = RTAPP_NO_TASK;
	if (!rtapp_add_name(pl, name, &r->name, e))
		return false;
	*out = pl->nresources++;
	*slot = *out + 1;
	return true;
}

void rtapp_plan_free(struct rtapp_plan *pl)
{
	for (uint32_t i = 0; i < pl->nmasks; i++)
		free(pl->masks[i]);
	free(pl->names);
	free(pl->resources);
	free(pl->slots);
	free(pl->events);
	free(pl->phases);
	free(pl->tasks);
	free(pl->masks);
	memset(pl, 0, sizeof(*pl));
}
