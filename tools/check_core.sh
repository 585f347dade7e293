#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The objects of the core (base model sched kver) keep no state of their own
# and ask for nothing but mem*, the check handler and the compiler's
# arithmetic; engine, workload and observe keep no writable globals either.
#
#   check_core.sh BUILD_DIR        a release build, without sanitizers
set -u
build=${1:?build folder}
command -v nm >/dev/null && command -v objdump >/dev/null ||
	{ echo "ok - core # SKIP no binutils"; exit 0; }
objects=$(find "$build"/obj/src/base "$build"/obj/src/model "$build"/obj/src/sched \
	"$build"/obj/src/kver -name '*.o' 2>/dev/null | grep -v -e '_test\.o$' -e '_fuzz\.o$' | sort)
stateless=$(find "$build"/obj/src/engine "$build"/obj/src/workload "$build"/obj/src/observe \
	-name '*.o' 2>/dev/null | grep -v -e '_test\.o$' -e '_fuzz\.o$' | sort)
# An object whose source is gone is a leftover, not a fault.
alive()
{
	for object in $1; do
		source=${object#"$build"/obj/}
		[ ! -f "${source%.o}.c" ] && [ ! -f "${source%.o}.S" ] || echo "$object"
	done
}
objects=$(alive "$objects")
stateless=$(alive "$stateless")
[ -n "$objects" ] || { echo "not ok - core: no objects in $build"; exit 1; }

globals()
{
	for object in $1; do
		objdump -h "$object" | awk -v file="$object" '
		$2 ~ /^\.(data|bss|tdata|tbss|ldata|lbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ {
			print "# " file ": section " $2 " holds 0x" $3 " bytes"
		}
		$2 ~ /^\.(init_array|fini_array|ctors|dtors)/ {
			print "# " file ": section " $2 " runs code before or after main"
		}'
	done
}

foreign()
{
	# shellcheck disable=SC2086
	nm -A $1 | awk '
	{
		file = $1
		sub(/:[^:]*$/, "", file)
		kind = $(NF - 1)
		symbol = $NF
		if (kind == "U" || kind == "w")
			wanted[file " " symbol] = symbol
		else if (kind ~ /^[A-Z]$/)
			defined[symbol] = 1
	}
	END {
		for (use in wanted) {
			s = wanted[use]
			if (s in defined || s ~ /^mem(cpy|move|set|cmp)$/ || s == "check_failed" ||
			    s == "_GLOBAL_OFFSET_TABLE_" || s ~ /^__[a-z]+[sdt]i[234]?$/ ||
			    s ~ /^__aarch64_/)
				continue
			split(use, part, " ")
			print "# " part[1] ": needs " s
		}
	}' | sort
}

faults=$(globals "$objects $stateless"; foreign "$objects")
if [ -n "$faults" ]; then
	echo "$faults"
	echo "not ok - core"
	exit 1
fi
echo "ok - core"
