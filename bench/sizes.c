/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of what a run has one of per task and per CPU, as the compiler lays it out. */
#include <stdio.h>

#include "engine/internal.h"
#include "model/machine.h"
#include "model/task.h"

int main(void)
{
	printf("sizeof_task %zu B\n", sizeof(struct task));
	printf("sizeof_cpu %zu B\n", sizeof(struct cpu) + sizeof(struct ecpu));
	return 0;
}
