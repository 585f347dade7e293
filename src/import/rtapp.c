/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The importer of rt-app's JSON in three steps: text to tokens (json_text.c),
 * tokens to a plan (rtapp_read.c, rtapp_events.c), plan to a program
 * (rtapp_build.c). Here is the file and what holds the steps together.
 *
 * Not modelled, and errors: memory and I/O events, utilization clamping,
 * custom slices, reclaiming of bandwidth, memory binding, task groups.
 */
#include "import/rtapp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "import/json_text.h"
#include "import/rtapp_plan.h"
#include "workload/program.h"

static bool out_of_memory(const char *name, struct rql_error *e)
{
	return err_set(e, name, "out of memory", NULL, NULL);
}

/* rt-app's own thread, and that all threads begin and end with the default policy, do not count. */
static bool has_fair_tasks(const struct rtapp_plan *pl)
{
	for (uint32_t i = 0; i < pl->ntasks; i++) {
		const struct rtapp_task *task = &pl->tasks[i];

		if (policy_is_fair(task->attr.policy))
			return true;
		for (uint32_t j = 0; j < task->nphases; j++) {
			const struct rtapp_phase *phase = &pl->phases[task->first_phase + j];

			if (phase->attr_given && policy_is_fair(phase->attr.policy))
				return true;
		}
	}
	return false;
}

static bool build(struct rtapp_plan *pl, struct workload *w, uint64_t seed, struct rql_error *e)
{
	struct program *p = program_create(seed, "rt-app");
	bool endless;

	if (!p || !rtapp_plan_build(pl, p, &endless)) {
		program_destroy(p);
		return out_of_memory(pl->j->where, e);
	}
	if (!program_finish(p, e)) {
		program_destroy(p);
		return false;
	}
	w->behaviour = program_behaviour(p);
	w->destroy = program_destroy_behaviour;
	w->behaviour->endless = endless;
	w->duration_ns = pl->duration_s * NS_PER_S;
	w->start_cpu = WORKLOAD_START_ANY;
	w->fair_tasks = has_fair_tasks(pl);
	return true;
}

static struct workload *from_json(const struct json_text *j, uint64_t seed,
				  const struct rtapp_target *target, struct rql_error *e)
{
	struct workload *w = calloc(1, sizeof(*w));
	struct rtapp_plan pl;
	bool ok;

	if (!w) {
		out_of_memory(j->where, e);
		return NULL;
	}
	memset(&pl, 0, sizeof(pl));
	pl.j = j;
	pl.target = target;
	w->text = malloc(strlen(j->where) + 1);
	if (w->text)
		strcpy(w->text, j->where);
	ok = w->text ? rtapp_plan_read(&pl, e) && build(&pl, w, seed, e) :
		       out_of_memory(j->where, e);
	rtapp_plan_free(&pl);
	if (ok)
		return w;
	workload_destroy(w);
	return NULL;
}

struct workload *rtapp_parse(const char *name, const char *text, size_t len, uint64_t seed,
			     const struct rtapp_target *target, struct rql_error *e)
{
	struct workload *w;
	struct json_text j;

	CHECK(target->ncpus > 0);
	if (!json_text_parse(&j, name, text, len, e))
		return NULL;
	w = from_json(&j, seed, target, e);
	json_text_free(&j);
	if (!w && !e->where[0])
		snprintf(e->where, sizeof(e->where), "%s", name);
	return w;
}

/* The whole of F, one byte more than is allowed at most. */
static char *read_all(FILE *f, size_t *len)
{
	size_t cap = 65536, n = 0;
	char *text = malloc(cap);

	while (text && n <= JSON_TEXT_MAX) {
		size_t got = fread(text + n, 1, cap - n, f);
		char *bigger;

		n += got;
		if (got == 0)
			break;
		if (n < cap)
			continue;
		cap *= 2;
		bigger = realloc(text, cap);
		if (!bigger)
			free(text);
		text = bigger;
	}
	*len = n;
	return text;
}

struct workload *rtapp_load(const char *path, uint64_t seed, const struct rtapp_target *target,
			    struct rql_error *e)
{
	struct workload *w = NULL;
	FILE *f = fopen(path, "rb");
	char *text;
	size_t len;

	if (!f) {
		err_set(e, path, "cannot be opened: ", strerror(errno), NULL);
		return NULL;
	}
	text = read_all(f, &len);
	if (!text)
		out_of_memory(path, e);
	else if (ferror(f))
		err_set(e, path, "cannot be read: ", strerror(errno), NULL);
	else
		w = rtapp_parse(path, text, len, seed, target, e);
	free(text);
	fclose(f);
	return w;
}
