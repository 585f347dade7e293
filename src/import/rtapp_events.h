/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of rt-app, by the names of their keys. Private to the rt-app importer. */
#ifndef RUNQLAB_IMPORT_RTAPP_EVENTS_H
#define RUNQLAB_IMPORT_RTAPP_EVENTS_H

#include "import/json_text.h"
#include "import/rtapp_plan.h"

/* Is KEY an event's? As in rt-app, whatever follows the event's name is a number or comment. */
bool rtapp_is_event(const struct json_text *j, uint32_t key);
/* The I-th event's name, NULL after the last. */
const char *rtapp_event_name(uint32_t i);
/* Appends the event M of task TASK (already numbered) to the plan. */
bool rtapp_read_event(struct rtapp_plan *pl, uint32_t task, const struct json_member *m,
		      struct rql_error *e);

#endif
