/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fair class as the class table knows it; its parts have headers of their own. */
#ifndef RUNQLAB_SCHED_FAIR_FAIR_H
#define RUNQLAB_SCHED_FAIR_FAIR_H

#include "sched/class.h"

#endif
