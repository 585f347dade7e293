/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a workload; its behaviour knows its own. */
#include "workload/workload.h"

#include <stdlib.h>

void workload_destroy(struct workload *w)
{
	if (!w)
		return;
	if (w->behaviour)
		w->destroy(w->behaviour);
	free(w->text);
	free(w);
}
