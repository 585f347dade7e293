/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runqlab list WHAT: the tables a user chooses from, each printed from the table the program uses. */
#include <json-c/json.h>
#include <string.h>

#include "base/params.h"
#include "cli/cmd.h"
#include "cli/table.h"
#include "experiment/err_printf.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "observe/metrics.h"
#include "workload/library.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

struct list {
	const char *name;
	const struct table_column *columns;
	uint32_t ncolumns;
	void (*fill)(struct table *t);
};

static const struct table_column kernel_columns[] = {
	{"kernel", false, false}, {"hz", true, true},          {"preempt", false, false},
	{"exact", false, false},  {"autogroup", false, false}, {"note", false, false},
};

static void fill_kernels(struct table *t)
{
	for (uint32_t i = 0; kver_profile(i); i++) {
		const struct kver_profile *p = kver_profile(i);
		struct rql_error e;
		struct kver v;

		if (!kver_parse(p->version, &v, &e))
			continue;
		table_cell(t, "%s", p->version);
		table_cell(t, "%u", (unsigned)v.hz);
		table_cell(t, "%s", kver_preempt_name(v.preempt));
		table_cell(t, "%s", kver_exactness(p->approximate, p->rt_only));
		table_cell(t, "%s", v.has_autogroup ? "yes" : "no");
		table_cell(t, "%s", p->note ? p->note : "");
	}
}

static const struct table_column delta_columns[] = {
	{"delta", false, false},  {"since", false, false},    {"until", false, false},
	{"needs", false, false},  {"excludes", false, false}, {"what", false, false},
	{"origin", false, false},
};

static void fill_deltas(struct table *t)
{
	for (uint32_t i = 0; kver_delta(i); i++) {
		const struct kver_delta *d = kver_delta(i);

		table_cell(t, "%s", d->name);
		table_cell(t, "%s", d->since ? d->since : "");
		table_cell(t, "%s", d->until ? d->until : "");
		table_cell(t, "%s", d->needs ? d->needs : "");
		table_cell(t, "%s", d->excludes ? d->excludes : "");
		table_cell(t, "%s", d->what);
		table_cell(t, "%s", d->origin);
	}
}

static const struct table_column feature_columns[] = {
	{"feature", false, false},
	{"what", false, false},
};

static void fill_features(struct table *t)
{
	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		const struct kver_feature_info *info = kver_feature_info(f);

		if (info->is_rule)
			continue;
		table_cell(t, "%s", info->name);
		table_cell(t, "%s", info->what);
	}
}

static const struct table_column tunable_columns[] = {
	{"tunable", false, false}, {"from_5.4", false, false}, {"unit", false, false},
	{"low", true, true},       {"high", true, true},       {"what", false, false},
};

static void fill_tunables(struct table *t)
{
	for (enum tunable_id id = 0; id < TUNABLE_COUNT; id++) {
		const struct kver_tunable_info *info = kver_tunable_info(id);

		table_cell(t, "%s", info->name);
		table_cell(t, "%s", info->name_54);
		table_cell(t, "%s", info->unit);
		table_cell(t, "%llu", (unsigned long long)info->low);
		table_cell(t, "%llu", (unsigned long long)info->high);
		table_cell(t, "%s", info->what);
	}
}

static const struct table_column machine_columns[] = {
	{"machine", false, false}, {"sockets", true, true}, {"cores", true, true},
	{"threads", true, true},   {"what", false, false},
};

static void fill_machines(struct table *t)
{
	size_t count;
	const struct machine_preset *p = machine_presets(&count);

	for (size_t i = 0; i < count; i++) {
		table_cell(t, "%s", p[i].name);
		table_cell(t, "%u", (unsigned)p[i].socket_count);
		table_cell(t, "%u", (unsigned)p[i].core_count);
		table_cell(t, "%u", (unsigned)p[i].thread_count);
		table_cell(t, "%s", p[i].what);
	}
}

static const struct table_column workload_columns[] = {
	{"workload", false, false}, {"key", false, false},  {"value", false, false},
	{"default", false, false},  {"what", false, false},
};

static void workload_row(struct table *t, const char *name, const struct workload_key_info *key)
{
	table_cell(t, "%s", name);
	table_cell(t, "%s", key->name);
	table_cell(t, "%s", key->value);
	table_cell(t, "%s", key->initial);
	table_cell(t, "%s", key->what);
}

static void fill_workloads(struct table *t)
{
	static const struct workload_key_info none = {"", "", "", ""};

	for (uint32_t i = 0; workload_info(i); i++) {
		const struct workload_info *info = workload_info(i);
		struct workload_key_info head = none;

		head.what = info->what;
		workload_row(t, info->name, &head);
		for (uint32_t j = 0; j < info->nkeys; j++)
			workload_row(t, info->name, &info->keys[j]);
	}
	for (uint32_t i = 0; workload_common_key(i); i++)
		workload_row(t, "(all)", workload_common_key(i));
}

static const struct table_column metric_columns[] = {
	{"metric", false, false},
	{"unit", false, false},
	{"better", false, false},
	{"what", false, false},
};

static void fill_metrics(struct table *t)
{
	static const char *const better[] = {"", "lower", "higher"};

	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric_info *info = metric_info(id);

		table_cell(t, "%s", info->name);
		table_cell(t, "%s", info->unit);
		table_cell(t, "%s", better[info->better]);
		table_cell(t, "%s", info->meaning);
	}
}

#define LIST(name)                                                                                 \
	{                                                                                          \
#name "s", name##_columns, COUNT_OF(name##_columns), fill_##name##s                \
	}

static const struct list lists[] = {
	LIST(kernel),  LIST(delta),    LIST(feature), LIST(tunable),
	LIST(machine), LIST(workload), LIST(metric),
};

static bool find_list(const char *name, const struct list **out, struct rql_error *e)
{
	const char *names[COUNT_OF(lists)];
	uint32_t nearest[3];

	for (uint32_t i = 0; i < COUNT_OF(lists); i++) {
		names[i] = lists[i].name;
		if (strcmp(name, names[i]) == 0) {
			*out = &lists[i];
			return true;
		}
	}
	param_nearest(name, strlen(name), names, COUNT_OF(lists), nearest);
	return err_printf(
		e, name,
		"unknown list, nearest \"%s\"; kernels, deltas, features, tunables, machines, "
		"workloads or metrics is right",
		names[nearest[0]]);
}

static bool read_options(struct opt_walk *w, const struct list **list, struct json_out *json,
			 struct rql_error *e)
{
	struct opt o;

	while (opt_next(w, &o, e)) {
		if (o.id == OPT_JSON) {
			if (!json_out_open(json, &o, e))
				return false;
		} else if (*list) {
			return err_printf(e, o.place, "a second list; one is right");
		} else if (!find_list(o.value, list, e)) {
			return false;
		}
	}
	if (w->failed)
		return false;
	return *list ||
	       err_printf(
		       e, "list",
		       "of what is not said; kernels, deltas, features, tunables, machines, workloads "
		       "or metrics is right");
}

int cmd_list(struct opt_walk *w)
{
	const struct list *list = NULL;
	struct json_out json;
	struct rql_error e;
	struct table t;
	int status = EXIT_DONE;

	memset(&json, 0, sizeof(json));
	if (!read_options(w, &list, &json, &e)) {
		json_out_abandon(&json);
		return cmd_fail(&e);
	}
	table_init(&t, list->columns, list->ncolumns);
	list->fill(&t);
	if (!json.to_stdout)
		table_print(&t, stdout);
	if (json.wanted && !json_out_write(&json, table_json(&t), &e))
		status = cmd_fail(&e);
	table_free(&t);
	return status;
}
