/* SPDX-License-Identifier: GPL-2.0-or-later */
/* People get as many digits as mean something; programs get nine. */
#include "cli/numbers.h"

#include <json-c/json.h>
#include <stdio.h>

#include "experiment/case.h"
#include "experiment/result.h"

const char *number_text(char *out, double x)
{
	if (isnan(x))
		snprintf(out, NUMBER_BYTES, "-");
	else
		snprintf(out, NUMBER_BYTES, fabs(x) >= 1000 ? "%.0f" : "%.4g", x);
	return out;
}

const char *ratio_text(char *out, double x)
{
	if (isnan(x))
		snprintf(out, NUMBER_BYTES, "-");
	else if (fabs(x) >= 100)
		snprintf(out, NUMBER_BYTES, "%.0f", x);
	else if (fabs(x) < 0.01 && fabs(x) > 0)
		snprintf(out, NUMBER_BYTES, "%.2g", x);
	else
		snprintf(out, NUMBER_BYTES, "%.3f", x);
	return out;
}

void interval_text(char *out, const struct stats_interval *x)
{
	char low[NUMBER_BYTES], high[NUMBER_BYTES];

	if (isnan(x->low))
		snprintf(out, 2 * NUMBER_BYTES, "-");
	else
		snprintf(out, 2 * NUMBER_BYTES, "%s..%s", ratio_text(low, x->low),
			 ratio_text(high, x->high));
}

struct json_object *json_number(double x)
{
	char text[DECIMAL_BYTES];

	case_number(text, x);
	return *text && isfinite(x) ? json_number_text(text, x) : NULL;
}

void json_add_number(struct json_object *o, const char *key, double x)
{
	json_object_object_add(o, key, json_number(x));
}

void json_add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text ? json_object_new_string(text) : NULL);
}

struct json_object *json_interval(const struct stats_interval *x)
{
	struct json_object *list;

	if (isnan(x->low))
		return NULL;
	list = json_object_new_array();
	json_object_array_add(list, json_number(x->low));
	json_object_array_add(list, json_number(x->high));
	return list;
}
