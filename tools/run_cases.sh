#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs every case and prints its table as soon as it is done, in the order of
# the list; several run at a time, the longest first.
#
#   run_cases.sh quick|full COMMAND RESULTS_DIR
#
# Leaves ID.json, ID.txt and ID.status per case and summary.txt. Exit status 0
# when every case ran, whether or not what it claims holds.
set -u

if [ "${1:-}" = --one ]; then
	id=$2
	start=$(date +%s)
	"$COMMAND" case run "$id" "--$FORM" "--json=$RESULTS/$id.json" \
		>"$RESULTS/$id.txt" 2>&1 </dev/null
	echo "$? $(($(date +%s) - start))" >"$RESULTS/$id.status.new"
	mv "$RESULTS/$id.status.new" "$RESULTS/$id.status"
	exit 0
fi

FORM=${1:?quick or full}
COMMAND=${2:?command}
RESULTS=${3:?folder for results}
export FORM COMMAND RESULTS
if [ ! -x "$COMMAND" ]; then
	echo "runqlab: no command $COMMAND" >&2
	exit 1
fi
mkdir -p "$RESULTS"
rm -f "$RESULTS"/*.json "$RESULTS"/*.txt "$RESULTS"/*.status

# One line a case: seconds and id, from the objects of the JSON list.
"$COMMAND" case list --json </dev/null | tr -d '\n' | awk '
{
	n = split($0, object, "{")
	for (i = 2; i <= n; i++) {
		if (!match(object[i], /"id"[ \t]*:[ \t]*"[^"]*"/))
			continue
		id = substr(object[i], RSTART, RLENGTH)
		sub(/"$/, "", id)
		sub(/.*"/, "", id)
		cost = 0
		if (match(object[i], /"cost_s"[ \t]*:[ \t]*[0-9.]+/)) {
			cost = substr(object[i], RSTART, RLENGTH)
			sub(/.*:[ \t]*/, "", cost)
		}
		print cost, id
	}
}' >"$RESULTS/list.new"
ids=$(awk '{ print $2 }' "$RESULTS/list.new")
if [ -z "$ids" ]; then
	rm -f "$RESULTS/list.new"
	echo "runqlab: no cases found by \`$COMMAND case list --json\`" >&2
	exit 1
fi

begin=$(date +%s)
sort -s -k 1,1nr "$RESULTS/list.new" | awk '{ print $2 }' |
	xargs -n 1 -P "$(nproc 2>/dev/null || echo 1)" sh "$0" --one &
workers=$!
trap 'kill $workers 2>/dev/null; exit 130' INT TERM
for id in $ids; do
	while [ ! -f "$RESULTS/$id.status" ]; do
		kill -0 $workers 2>/dev/null || [ -f "$RESULTS/$id.status" ] || break
		sleep 0.1
	done
	cat "$RESULTS/$id.txt" 2>/dev/null
	echo
done
wait $workers
rm -f "$RESULTS/list.new"

for id in $ids; do
	status=127
	seconds='?'
	[ ! -f "$RESULTS/$id.status" ] || read -r status seconds <"$RESULTS/$id.status"
	[ -s "$RESULTS/$id.json" ] || [ "$status" -gt 1 ] || status=127
	case $status in
	0) word=holds ;;
	1) word='does not hold' ;;
	*) word="did not run (status $status)" ;;
	esac
	printf '%-32s %-28s %5s s\n' "$id" "$word" "$seconds"
done >"$RESULTS/summary.txt"
cat "$RESULTS/summary.txt"
total=$(grep -c . "$RESULTS/summary.txt")
held=$(grep -c ' holds  ' "$RESULTS/summary.txt")
broken=$(grep -c ' did not run ' "$RESULTS/summary.txt")
{
	echo
	echo "$held of $total cases hold, $((total - held - broken)) do not," \
		"$broken did not run ($FORM form, $(($(date +%s) - begin)) s)"
	echo "results: $RESULTS/"
} | tee -a "$RESULTS/summary.txt"
[ "$broken" = 0 ]
