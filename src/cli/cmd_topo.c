/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runqlab topo MACHINE [-k KERNEL]: the sched domains and groups of every CPU
 * as that kernel builds them. Without -k it is the newest kernel there is.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/cmd.h"
#include "experiment/err_printf.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "observe/topo_json.h"
#include "observe/topo_text.h"
#include "sched/domain/domain.h"

struct topo_question {
	const char *machine, *kernel;
	struct json_out json;
	struct topology topo;
	struct kver v;
	struct domain_set set;
	void *memory, *scratch;
};

static bool take_option(struct topo_question *q, const struct opt *o, struct rql_error *e)
{
	if (o->id == OPT_JSON)
		return json_out_open(&q->json, o, e);
	if (o->id == OPT_KERNEL) {
		if (q->kernel)
			return err_printf(e, o->place, "a second kernel; one is right");
		q->kernel = o->value;
		return true;
	}
	if (q->machine)
		return err_printf(e, o->place, "a second machine; one is right");
	q->machine = o->value;
	return true;
}

static bool read_options(struct topo_question *q, struct opt_walk *w, struct rql_error *e)
{
	struct opt o;

	while (opt_next(w, &o, e))
		if (!take_option(q, &o, e))
			return false;
	if (w->failed)
		return false;
	if (!q->machine)
		return err_printf(e, "topo",
				  "no machine; `runqlab topo MACHINE` is right, "
				  "`runqlab list machines` names some");
	for (uint32_t i = 0; !q->kernel && kver_profile(i); i++)
		if (!kver_profile(i + 1))
			q->kernel = kver_profile(i)->version;
	return kver_parse(q->kernel, &q->v, e) && machine_load(q->machine, &q->topo, e);
}

static bool build(struct topo_question *q, struct rql_error *e)
{
	size_t bytes = domains_bytes_max(&q->topo, q->v.domains);
	size_t scratch_bytes = domains_scratch_bytes_max(&q->topo, q->v.domains);
	const struct domain_start start = {.jiffies = 0, .hz = q->v.hz};
	struct arena a, scratch;

	q->memory = calloc(1, bytes);
	q->scratch = malloc(scratch_bytes);
	if (!q->memory || !q->scratch)
		return err_printf(e, q->machine, "out of memory; a smaller machine is needed");
	arena_init(&a, q->memory, bytes);
	arena_init(&scratch, q->scratch, scratch_bytes);
	if (!domains_build(&q->set, &q->topo, q->v.domains, &start, &a, &scratch))
		return err_printf(e, q->machine, "out of memory; a smaller machine is needed");
	return true;
}

static void write_piece(void *ctx, const char *s, size_t len)
{
	fwrite(s, 1, len, ctx);
}

static bool print(struct topo_question *q, struct rql_error *e)
{
	struct topo_sink sink = {write_piece, stdout};
	bool ok = true;

	if (!q->json.to_stdout)
		ok = topo_print(&q->topo, &q->set, q->v.name, &sink);
	if (ok && q->json.wanted) {
		struct json_object *o = topo_json(&q->topo, &q->set, q->v.name);

		ok = o != NULL;
		if (ok)
			return json_out_write(&q->json, o, e);
	}
	return ok || err_printf(e, q->machine, "out of memory; a smaller machine is needed");
}

int cmd_topo(struct opt_walk *w)
{
	struct topo_question q;
	struct rql_error e;
	int status = EXIT_DONE;

	memset(&q, 0, sizeof(q));
	memset(&e, 0, sizeof(e));
	if (!read_options(&q, w, &e) || !build(&q, &e) || !print(&q, &e))
		status = cmd_fail(&e);
	json_out_abandon(&q.json);
	topology_free(&q.topo);
	free(q.memory);
	free(q.scratch);
	return status;
}
