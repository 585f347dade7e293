#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the fingerprint of each stored scenario with what the command says.
#
#   run.sh [--bless] BUILD_DIR [FOLDER...]
#
# FOLDER/cmd holds the arguments after `runqlab`, in the shell's words, where
# $golden is the folder itself, one line a run; FOLDER/fingerprint what must come out,
# one line a fingerprint. Prints TAP, one line a folder. RUNQLAB_PREFIX, if set, is put
# before the command.
set -u
bless=no
[ "${1:-}" != --bless ] || { bless=yes; shift; }
build=${1:?build folder}
shift
here=$(cd "$(dirname "$0")" && pwd)
command=$(cd "$build" 2>/dev/null && pwd)/runqlab
[ $# -gt 0 ] || set -- "$here"/*/
[ -f "$1/cmd" ] || { echo "ok - goldens # SKIP none here"; exit 0; }
[ -x "$command" ] || { echo "not ok - goldens: no command $command"; exit 1; }

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
for golden in "$@"; do
	[ -f "$golden/cmd" ] || continue
	golden=$(cd "$golden" && pwd)
	name=$(basename "$golden")
	: >"$dir/got"
	bad=
	while read -r arguments; do
		(cd "$dir" && eval "${RUNQLAB_PREFIX:-} \"\$command\" $arguments --json=out.json") \
			>"$dir/said" 2>&1 </dev/null
		status=$?
		grep -o '"fingerprint": *"[0-9a-f]*"' "$dir/out.json" 2>/dev/null |
			sed 's/.*"\([0-9a-f]*\)"$/\1/' >"$dir/one"
		rm -f "$dir/out.json"
		cat "$dir/one" >>"$dir/got"
		[ $status -le 1 ] && [ -s "$dir/one" ] || { bad=$status; break; }
	done <"$golden/cmd"
	if [ -n "$bad" ] || [ ! -s "$dir/got" ]; then
		sed 's/^/# /' "$dir/said"
		echo "not ok - golden $name: exit status ${bad:-0}, no fingerprint"
		failed=1
	elif cmp -s "$golden/fingerprint" "$dir/got"; then
		[ $bless = yes ] || echo "ok - golden $name"
	elif [ $bless = yes ]; then
		touch "$golden/fingerprint"
		diff -u --label "$name/fingerprint" --label now "$golden/fingerprint" "$dir/got"
		cp "$dir/got" "$golden/fingerprint"
	else
		echo "# expected $(tr '\n' ' ' <"$golden/fingerprint")"
		echo "# got      $(tr '\n' ' ' <"$dir/got")"
		echo "not ok - golden $name"
		failed=1
	fi
done
exit $failed
