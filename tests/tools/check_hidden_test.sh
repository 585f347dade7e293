#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/lib.sh"
check="sh $top/tools/check_hidden.sh"

put src/base/good.c <<'END'
/* a double meaning, and float
   double over two lines: time() */
#include <stdint.h>
struct x { uint64_t time; };
static const char *const name = "double \" float"; // double
static char quote = '"'; /* float */
uint64_t f(struct x *x) { return x->time (0), x->time; }
uint64_t time_of(struct x *x, uint64_t time) { return time + x->time; }
END
put src/report/free.c <<'END'
double mean(double a) { return a; }
END
put src/base/x_test.c <<'END'
double d;
END
passes 'comments, strings, fields and other layers are free' $check

echo 'static double x;' | put src/sched/bad.c
finds 'floating point is noticed' 'src/sched/bad.c:1: double' $check
rm src/sched/bad.c
echo '/* a */ /* b */ float f(void); /* c */' | put src/observe/bad.h
finds 'between comments too' 'bad.h:1: float' $check
rm src/observe/bad.h
echo 'long f(void) { return time(0); }' | put src/engine/bad.c
finds 'the clock is noticed' 'src/engine/bad.c:1: time' $check
rm src/engine/bad.c
echo 'char *f(void) { return getenv ("X"); }' | put src/workload/bad.c
finds 'the environment is noticed' 'getenv' $check
rm src/workload/bad.c
echo '#include <math.h>' | put src/kver/bad.c
finds 'the header of such a service is noticed' 'math.h' $check
exit $failed
