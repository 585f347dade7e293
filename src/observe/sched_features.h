/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file sched_features of kernels from 5.4 on: the switches in the kernel's order, each
 * followed by a blank, "NO_" before those that are off. Some of them do nothing here and are off:
 * HRTICK, HRTICK_DL, DOUBLE_TICK, LATENCY_WARN.
 */
#ifndef RUNQLAB_OBSERVE_SCHED_FEATURES_H
#define RUNQLAB_OBSERVE_SCHED_FEATURES_H

#include "model/kver.h"
#include "observe/text.h"

/* Append the file's line, newline included. */
void export_sched_features(struct text *t, const struct kver *v);

/* The same as sched_debug shows it: a bit for each, the first is the lowest. */
uint64_t sched_feature_bits(const struct kver *v);

#endif
