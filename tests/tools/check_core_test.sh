#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/lib.sh"
CC=${CC:-gcc}
check="sh $top/tools/check_core.sh build/x"

# object FILE: standard input becomes that source and its object
object()
{
	put "src/$1.c"
	mkdir -p "build/x/obj/src/$(dirname "$1")"
	"$CC" -std=gnu11 -O1 -ffreestanding -fno-stack-protector -c "src/$1.c" -o "build/x/obj/src/$1.o"
}

unplant()
{
	rm "src/$1.c" "build/x/obj/src/$1.o"
}

object base/good <<'END'
#include <stdint.h>
#include <stddef.h>
void check_failed(const char *, int, const char *);
void *memset(void *, int, size_t);
int other(int);
struct ops { int (*f)(int); };
extern const struct ops table;
const struct ops table = { other };
__extension__ typedef unsigned __int128 u128;
uint64_t divide(u128 a, u128 b) { if (!b) check_failed("", 0, ""); return (uint64_t)(a / b); }
void zero(char *p, size_t n) { memset(p, 0, n); }
END
object sched/fair/other <<'END'
int other(int x) { return x; }
END
passes 'constants, mem*, CHECK and wide division are legal' $check

object model/global <<'END'
int counter;
void count(void) { counter++; }
END
finds 'a zeroed global is noticed' 'global.o: section .bss' $check
unplant model/global

object sched/core/state <<'END'
int next(void) { static int n = 7; return n++; }
END
finds 'a static inside a function is noticed' 'state.o: section .data' $check
unplant sched/core/state

object kver/foreign <<'END'
int printf(const char *, ...);
void say(void) { printf("%d\n", 1); }
END
finds 'a call of libc is noticed' 'foreign.o: needs printf' $check
unplant kver/foreign

object engine/libc <<'END'
void *malloc(unsigned long);
void *get(void) { return malloc(1); }
END
passes 'the engine may call libc' $check
object engine/global <<'END'
long last;
void set(long x) { last = x; }
END
finds 'but keeps no globals' 'engine/global.o: section .bss' $check
rm src/engine/global.c
passes 'the object of a source that is gone does not count' $check
exit $failed
