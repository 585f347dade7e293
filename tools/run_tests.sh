#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs test programs, as many at a time as there are CPUs, and counts.
#
#   run_tests.sh COUNT_FILE BUILD_DIR PROGRAM...
#
# A program is a binary (cmocka) or a shell script (*.sh, called with
# BUILD_DIR); it prints TAP. Counted as a failure besides each `not ok`: a
# program that dies, that runs fewer tests than it planned, or none at all. A script
# that needs longer than others says `# time limit: N s` in its head.
# The last line is `N passed, N failed, N skipped`, also left in COUNT_FILE.
set -u

# The other end of xargs below: one program, its output in $RESULTS/NAME.
if [ "${1:-}" = --one ]; then
	program=$2
	out=$RESULTS/$(echo "$program" | tr / _)
	limit=${RUNQLAB_TEST_TIMEOUT:-180}
	case $program in
	*.sh)
		set -- sh "$program" "$BUILD"
		own=$(sed -n '1,10s/^# time limit: \([0-9]*\) s$/\1/p' "$program")
		[ "${own:-0}" -le "$limit" ] || limit=$own
		;;
	*) set -- "$program" ;;
	esac
	CMOCKA_MESSAGE_OUTPUT=tap timeout -k 5 "$limit" "$@" \
		>"$out" 2>&1 </dev/null
	echo "# exit $?" >>"$out"
	exit 0
fi

count_file=$1
BUILD=$2
shift 2
RESULTS=$(mktemp -d) || exit 1
trap 'rm -rf "$RESULTS"' EXIT
RUNQLAB_SHARED=${RUNQLAB_SHARED:-../shared}
LC_ALL=C
export BUILD RESULTS RUNQLAB_SHARED LC_ALL
mkdir -p "$(dirname "$count_file")"
rm -f "$count_file"

if [ $# = 0 ]; then
	echo "no tests found: that is a failure"
	echo "0 passed, 1 failed, 0 skipped" | tee "$count_file"
	exit 1
fi

printf '%s\n' "$@" | xargs -n 1 -P "$(nproc 2>/dev/null || echo 1)" sh "$0" --one

for program in "$@"; do
	echo "== $program"
	cat "$RESULTS/$(echo "$program" | tr / _)" || echo "# exit 127"
done | awk -v verbose="${V:-}" '
function finish(    note, i)
{
	if (name == "")
		return
	if (bad == 0 && status != 0) {
		bad = 1
		note = " (ended with status " status ")"
	} else if (seen < planned) {
		bad++
		note = " (ran " seen " of " planned " tests)"
	} else if (seen == 0) {
		bad = 1
		note = " (ran no test)"
	}
	printf "%-6s %s: %d passed, %d failed, %d skipped%s\n", bad ? "FAILED" : "ok", name,
		good, bad, skipped, note
	for (i = 1; i <= lines; i++)
		if (bad || verbose != "")
			print "       " text[i]
		else if (text[i] ~ /# SKIP/ || text[i] ~ /^# absent/)
			print "       " text[i]
	passed_sum += good; failed_sum += bad; skipped_sum += skipped
}
/^== / {
	finish()
	name = substr($0, 4)
	good = bad = skipped = seen = planned = lines = 0
	status = 127
	next
}
/^# exit [0-9]+$/ { status = $3; next }
/^1\.\.[0-9]+$/ { planned += substr($0, 4) }
{ text[++lines] = $0 }
/^(not )?ok.*# SKIP/ { skipped++; seen++; next }
/^ok / { good++; seen++ }
/^not ok / { bad++; seen++ }
END {
	finish()
	printf "%d passed, %d failed, %d skipped\n", passed_sum, failed_sum, skipped_sum
	exit failed_sum > 0
}' >"$RESULTS/summary"
status=$?
cat "$RESULTS/summary"
tail -n 1 "$RESULTS/summary" >"$count_file"
exit $status
