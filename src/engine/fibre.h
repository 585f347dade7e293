/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks one can switch between. A section of kernel code that must let other
 * CPUs run first is left on its stack and continued later.
 *
 * Not for signal handlers or threads; a fibre is never unwound: when it is no
 * longer wanted, its stack is simply given back.
 */
#ifndef RUNQLAB_ENGINE_FIBRE_H
#define RUNQLAB_ENGINE_FIBRE_H

#include <stdbool.h>
#include <stddef.h>

struct fibre;

/* A new fibre that will run entry(arg), which must never return. NULL: no memory. */
struct fibre *fibre_create(void (*entry)(void *arg), void *arg);
void fibre_destroy(struct fibre *f);

/* The calling thread's own stack, to switch away from and back to. */
struct fibre *fibre_adopt(void);

/* Continue TO; returns when somebody switches back to FROM, the current one. */
void fibre_switch(struct fibre *from, struct fibre *to);

/* Address space one fibre takes, guard pages included; touched pages only are used. */
size_t fibre_bytes(void);

#endif
