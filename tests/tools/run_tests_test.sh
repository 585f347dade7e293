#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who counts the counters? Programs that end in every possible way.
. "$(dirname "$0")/lib.sh"
run="sh $top/tools/run_tests.sh count build"

counts()
{
	want=$1
	shift
	$run "$@"
	status=$?
	[ "$(cat count)" = "$want" ] || { echo "counted $(cat count), expected $want"; return 1; }
	case $want in *' 0 failed'*) [ $status = 0 ] ;; *) [ $status != 0 ] ;; esac
}

printf 'echo 1..2\necho ok 1 - a\necho ok 2 - b\n' | put good.sh
printf 'echo ok 1 - a\necho "not ok 2 - b"; exit 1\n' | put bad.sh
printf 'echo ok - a "# SKIP no data"\necho "not ok 2 # SKIP b"\n' | put skip.sh
printf 'echo ok - a\nkill -SEGV $$\n' | put crash.sh
printf 'echo 1..3\necho ok 1 - a\n' | put short.sh
printf 'echo hello\n' | put none.sh
passes 'passes are counted' counts '2 passed, 0 failed, 0 skipped' good.sh
passes 'failures are counted' counts '3 passed, 1 failed, 0 skipped' good.sh bad.sh
passes 'skips are counted apart, in both spellings' counts '0 passed, 0 failed, 2 skipped' skip.sh
passes 'a crash is a failure' counts '1 passed, 1 failed, 0 skipped' crash.sh
passes 'ending early is a failure' counts '1 passed, 1 failed, 0 skipped' short.sh
passes 'running no test is a failure' counts '2 passed, 1 failed, 0 skipped' good.sh none.sh
passes 'a missing program is a failure' counts '0 passed, 1 failed, 0 skipped' nowhere.sh
passes 'no program at all is a failure' counts '0 passed, 1 failed, 0 skipped'
RUNQLAB_TEST_TIMEOUT=1
export RUNQLAB_TEST_TIMEOUT
printf 'echo ok - a\nsleep 20\n' | put slow.sh
passes 'a program without end is a failure' counts '1 passed, 1 failed, 0 skipped' slow.sh
printf '# time limit: 30 s\necho ok - a\nsleep 2\necho ok - b\n' | put patient.sh
passes 'a script may ask for more time' counts '2 passed, 0 failed, 0 skipped' patient.sh
exit $failed
