#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/lib.sh"
check="sh $top/tools/check_layers.sh"
mkdir tools
cp "$top/tools/layers.txt" tools/

put src/sched/fair/x.c <<'END'
#include "sched/fair/x.h"
#include <stdint.h>
#include "base/list.h"
#include "model/rq.h"
#include "sched/class.h"
#include "sched/select/select.h"
// #include "engine/engine.h"
END
put src/cli/x.c <<'END'
#include "runqlab.h"
#include "engine/engine.h"
END
put src/base/x_test.c <<'END'
#include "support.h"
#include "base/list.h"
END
passes 'downward includes are legal' $check

echo '#include "sched/class.h"' | put src/base/up.c
finds 'the base knows nothing of scheduling' 'src/base/up.c:1: base may not include sched/class.h' $check
rm src/base/up.c

echo '  #  include "engine/engine.h"' | put src/workload/side.h
finds 'neighbours do not know each other' 'workload may not include engine/engine.h' $check
rm src/workload/side.h

echo '#include "sched/balance/balance.h"' | put src/sched/fair/up.c
finds 'a class does not include balancing' 'sched/fair may not include sched/balance/balance.h' $check
rm src/sched/fair/up.c

echo '#include "x.h"' | put src/sched/fair/short.c
finds 'an include names its folder' 'does not name its folder' $check
rm src/sched/fair/short.c

echo '#include "base/list.h"' | put src/gui/new.c
finds 'a folder outside the table is noticed' 'is not in tools/layers.txt' $check
rm -r src/gui

echo '#include "model/y.h"' | put src/base/up.def
finds 'lists are read too' 'src/base/up.def:1' $check
exit $failed
