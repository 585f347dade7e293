/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of comparisons as text and as JSON; one that is not there is "-" and null. */
#ifndef RUNQLAB_CLI_NUMBERS_H
#define RUNQLAB_CLI_NUMBERS_H

#include "experiment/stats.h"

struct json_object;

#define NUMBER_BYTES 48

/* OUT has NUMBER_BYTES and is returned. */
const char *number_text(char *out, double x);
/* A ratio that is small but not 0 does not look like 0. */
const char *ratio_text(char *out, double x);
/* "LOW..HIGH" of ratios; OUT has 2 * NUMBER_BYTES. */
void interval_text(char *out, const struct stats_interval *x);

/* To be put back, or NULL, which is null. */
struct json_object *json_number(double x);
struct json_object *json_interval(const struct stats_interval *x);
void json_add_number(struct json_object *o, const char *key, double x);
/* TEXT may be NULL. */
void json_add_text(struct json_object *o, const char *key, const char *text);

#endif
