/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNQLAB_WORKLOAD_PARAMS_H
#define RUNQLAB_WORKLOAD_PARAMS_H
#include "base/params.h"
#endif
