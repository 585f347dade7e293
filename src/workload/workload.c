/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every workload of this version is a program; this is its end. */
#include "workload/workload.h"

#include <stdlib.h>

#include "workload/program.h"

void workload_destroy(struct workload *w)
{
	if (!w)
		return;
	program_destroy(w->program);
	free(w->text);
	free(w);
}
