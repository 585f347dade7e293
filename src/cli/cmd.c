/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands share. */
#include "cli/cmd.h"

#include <json-c/json.h>
#include <string.h>

#include "experiment/err_printf.h"
#include "experiment/result.h"
#include "experiment/scenario.h"
#include "kver/kver.h"

int cmd_fail(const struct rql_error *e)
{
	char text[sizeof(e->where) + sizeof(e->what) + 64];

	err_text(e, text, sizeof(text));
	fprintf(stderr, "runqlab: %s\n", text);
	return e->limit ? EXIT_LIMIT : EXIT_BAD_INPUT;
}

void cmd_warn_rt_only(uint64_t profiles)
{
	const char *comma = "";

	if (!profiles)
		return;
	fputs("runqlab: warning: ", stderr);
	for (uint32_t i = 0; kver_profile(i); i++) {
		if (!(profiles >> i & 1))
			continue;
		fprintf(stderr, "%s%s", comma, kver_profile(i)->version);
		comma = ", ";
	}
	fputs(": exact for real-time tasks only (rt-only); this work has fair tasks too, they run "
	      "by 3.4's rules\n",
	      stderr);
}

bool cmd_scenario_option(struct scenario *s, const struct opt *o, bool *done, struct rql_error *e)
{
	bool (*set)(struct scenario *, const char *, struct rql_error *) = NULL;

	*done = true;
	switch ((int)o->id) {
	case OPT_MACHINE:
		set = scenario_set_machine;
		break;
	case OPT_KERNEL:
		set = scenario_add_kernel;
		break;
	case OPT_CGROUP:
		set = scenario_add_cgroup;
		break;
	case OPT_WORKLOAD:
		set = scenario_add_work;
		break;
	case OPT_TIME:
		set = scenario_set_duration;
		break;
	case OPT_SEED:
		set = scenario_set_seed;
		break;
	case OPT_PRICES:
		set = scenario_set_prices;
		break;
	case OPT_LIMIT:
		set = scenario_set_limits;
		break;
	case OPT_AUTOGROUP:
		s->autogroup = true;
		return true;
	case OPT_ATOMIC:
		s->atomic = true;
		return true;
	default:
		*done = false;
		return true;
	}
	return set(s, o->value, e) || opt_error(o, e);
}

bool json_out_open(struct json_out *j, const struct opt *o, struct rql_error *e)
{
	if (j->wanted)
		return err_printf(e, o->place, "given twice; once is right");
	j->wanted = true;
	j->to_stdout = !o->value;
	if (o->value && !*o->value)
		return err_printf(e, o->place,
				  "an empty file name; --json or --json=FILE is right");
	return !o->value || out_open(&j->file, o->value, e);
}

bool json_out_write(struct json_out *j, struct json_object *object, struct rql_error *e)
{
	json_print(j->to_stdout ? stdout : j->file.f, object);
	json_object_put(object);
	return j->to_stdout || out_commit(&j->file, e);
}

void json_out_abandon(struct json_out *j)
{
	out_abandon(&j->file);
}

bool cmd_seeds_fit(const struct scenario *s, uint32_t nseeds, struct rql_error *e)
{
	if (s->seed <= SCENARIO_SEED_MAX - nseeds + 1)
		return true;
	return err_printf(e, "option -s",
			  "%u seeds from here go beyond the last, %llu; a lower one is right",
			  (unsigned)nseeds, (unsigned long long)SCENARIO_SEED_MAX);
}
