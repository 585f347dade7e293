#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the transcripts beside this file; docs/TESTING.md says how to write one.
#
#   run.sh [--bless] BUILD_DIR [TRANSCRIPT...]
#
# Prints TAP, one line a transcript. --bless rewrites what differs and prints
# the difference.
set -u
bless=no
[ "${1:-}" != --bless ] || { bless=yes; shift; }
build=${1:?build folder}
shift
here=$(cd "$(dirname "$0")" && pwd)
command=$(cd "$build" 2>/dev/null && pwd)/runqlab
shared=$(cd "${RUNQLAB_SHARED:-../shared}" 2>/dev/null && pwd)
[ $# -gt 0 ] || set -- "$here"/*.txt
[ -f "$1" ] || { echo "ok - transcripts # SKIP none here"; exit 0; }
[ -x "$command" ] || { echo "not ok - transcripts: no command $command"; exit 1; }

top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
mkdir "$top/bin"
ln -s "$command" "$top/bin/runqlab"

# Cuts a transcript into steps: NNN.head (text before and the command's lines
# as they stand), .cmd, .want, .gap (empty lines after it), .end (exit line).
cut_steps()
{
	awk -v dir="$2" '
	function flush_gap()
	{
		while (gap > 0) {
			print "" >(step ".want")
			gap--
		}
	}
	function close_step(    i)
	{
		if (n == 0)
			return
		while (gap-- > 0)
			print "" >(step ".gap")
		gap = 0
		close(step ".head"); close(step ".cmd"); close(step ".want")
		close(step ".gap"); close(step ".end")
	}
	function new_step()
	{
		close_step()
		step = sprintf("%s/%03d", dir, ++n)
		printf "" >(step ".want")
		printf "%s", prose >(step ".head")
		prose = ""
	}
	/^\$ / {
		new_step()
		state = "command"
		print >(step ".head")
		print substr($0, 3) >(step ".cmd")
		next
	}
	state == "command" && /^> ?/ {
		print >(step ".head")
		sub(/^> ?/, "")
		print >(step ".cmd")
		next
	}
	(state == "command" || state == "output") && /^# exit [0-9]+$/ {
		print >(step ".end")
		state = "prose"
		next
	}
	state == "command" || state == "output" {
		state = "output"
		if ($0 == "")
			gap++
		else {
			flush_gap()
			print >(step ".want")
		}
		next
	}
	{ prose = prose $0 "\n" }
	END {
		close_step()
		printf "%s", prose >(dir "/tail")
	}' "$1"
}

# Runs step $1 in folder $2; says what is wrong, nothing when all is well.
run_step()
{
	want_status=0
	[ ! -f "$1.end" ] || want_status=$(awk '{ print $3 }' "$1.end")
	(cd "$2" && exec env -i PATH="$top/bin:$PATH" HOME="$2" LC_ALL=C SHARED="$shared" \
		ASAN_OPTIONS="${ASAN_OPTIONS:-}" sh "$1.cmd") >"$1.raw" 2>&1 </dev/null
	status=$?
	# Empty lines at the end do not count.
	awk '/^$/ { gap++; next } { while (gap > 0) { print ""; gap-- } print }' "$1.raw" >"$1.got"
	if [ $status != "$want_status" ]; then
		echo "exit status $status, expected $want_status"
	fi
	awk -f "$here/match.awk" "$1.want" "$1.got" || diff -u "$1.want" "$1.got" | sed 1,2d
	echo $status >"$1.status"
}

bless_step()
{
	awk -f "$here/match.awk" "$1.want" "$1.got" || cp "$1.got" "$1.want"
	[ ! -f "$1.end" ] || rm "$1.end"
	[ "$(cat "$1.status")" = 0 ] || echo "# exit $(cat "$1.status")" >"$1.end"
}

failed=0
for transcript in "$@"; do
	name=$(basename "$transcript" .txt)
	steps=$top/steps_$name
	work=$top/work_$name
	mkdir "$steps" "$work"
	if grep -q '^# needs shared$' "$transcript" && [ -z "$shared" ]; then
		echo "ok - $name # SKIP no shared data"
		continue
	fi
	cut_steps "$transcript" "$steps"
	bad=no
	for cmd in "$steps"/*.cmd; do
		[ -f "$cmd" ] || { echo "# $name has no command"; bad=yes; break; }
		step=${cmd%.cmd}
		said=$(run_step "$step" "$work")
		[ -n "$said" ] || continue
		bad=yes
		if [ $bless = yes ]; then
			bless_step "$step"
		else
			sed 's/^/# $ /' "$cmd"
			echo "$said" | sed 's/^/#   /'
		fi
	done
	if [ $bless = yes ]; then
		for cmd in "$steps"/*.cmd; do
			step=${cmd%.cmd}
			cat "$step.head" "$step.want"
			[ ! -f "$step.end" ] || [ ! -f "$step.gap" ] || { cat "$step.gap"; rm "$step.gap"; }
			[ ! -f "$step.end" ] || cat "$step.end"
			[ ! -f "$step.gap" ] || cat "$step.gap"
		done >"$steps/new"
		cat "$steps/tail" >>"$steps/new"
		diff -u "$transcript" "$steps/new" || cp "$steps/new" "$transcript"
	elif [ $bad = yes ]; then
		echo "not ok - $name"
		failed=1
	else
		echo "ok - $name"
	fi
done
exit $failed
