#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the cases that compare with real kernels and writes what came out into a document,
# between its two lines `<!-- truth: begin -->` and `<!-- truth: end -->`: how many figures
# of each kind hold, every figure that does not, and all figures.
#
#   truth_table.sh COMMAND DOCUMENT [CAUSES]
#
# A case that does not run is told there, too, and then the exit status is 1.
#
# CAUSES has lines `CASE FIGURE cause` (shell patterns both); the first that fits is
# printed beside a figure that does not hold.
set -u
command=${1:?command}
document=${2:?document}
causes=${3:-/dev/null}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

grep -q '^<!-- truth: begin -->$' "$document" && grep -q '^<!-- truth: end -->$' "$document" || {
	echo "$document: no lines <!-- truth: begin --> and <!-- truth: end -->" >&2
	exit 2
}

# One line a figure: case, name, kind, median, least, greatest, simulated, low, high, holds.
: >"$dir/broken"
for id in $("$command" case list </dev/null | awk '$1 ~ /^truth-/ { print $1 }'); do
	"$command" case run "$id" --json </dev/null >"$dir/json" 2>"$dir/err"
	if [ $? -gt 1 ]; then
		cat "$dir/err" >&2
		printf '%s did not run: %s\n\n' "$id" "$(tail -n 1 "$dir/err")" >>"$dir/broken"
		continue
	fi
	awk -v id="$id" '
	function value(line) {
		sub(/^[^:]*: */, "", line)
		gsub(/[",]/, "", line)
		return line
	}
	/"name":/ { name = value($0); kind = "-"; from = to = "-" }
	/"published":/ { median = value($0) }
	/"published_low":/ { from = value($0) }
	/"published_high":/ { to = value($0) }
	/"simulated":/ { simulated = value($0) }
	/"low":/ { low = value($0) }
	/"high":/ { high = value($0) }
	/"kind":/ { kind = value($0) }
	/"holds":/ && name != "" {
		print id, name, kind, median, from, to, simulated, low, high, value($0)
		name = ""
	}' "$dir/json"
done >"$dir/figures" || exit 1
[ -s "$dir/figures" ] || { echo "runqlab: no case truth-... in \`$command case list\`" >&2; exit 1; }

# The cause of a figure that does not hold.
cause_of()
{
	while read -r case figure cause; do
		# patterns on purpose
		# shellcheck disable=SC2254
		case $1 in $case) case $2 in $figure) echo "$cause"; return ;; esac ;; esac
	done <"$causes"
}

{
	awk '
	$3 == "-" || $8 == "null" && $9 == "null" { next }
	{
		group = $3 == "place" || $3 == "share" ? "place and share" : $3
		n[group]++
		hold[group] += $10 == "true"
		# what case_truth.c counts in stat_hold
		if ($3 == "stat" && $2 ~ /^stat_(sched_count|sched_goidle|ttwu_count|ttwu_local|.*_lb_count|.*_lb_gained)_[0-9.]+$/) {
			n["stat: switches, wake-ups, attempts, gains"]++
			hold["stat: switches, wake-ups, attempts, gains"] += $10 == "true"
		}
	}
	END {
		aim["place and share"] = "90 %"; aim["stat: switches, wake-ups, attempts, gains"] = "70 %"; aim["stat"] = "-"; aim["topo"] = "all"; aim["time"] = "-"
		print "| kind | figures | hold | share | aim |\n|---|--:|--:|--:|--:|"
		names = split("topo|place and share|stat: switches, wake-ups, attempts, gains|stat|time", order, "|")
		for (i = 1; i <= names; i++)
			if (n[order[i]])
				printf "| %s | %d | %d | %.1f %% | %s |\n", order[i] == "stat" ? "stat: all" : order[i], n[order[i]], hold[order[i]], 100 * hold[order[i]] / n[order[i]], aim[order[i]]
	}' "$dir/figures"
	echo
	cat "$dir/broken"
	echo 'What does not hold:'
	echo
	echo '| case | figure | real median | real range | simulated | cause |'
	echo '|---|---|--:|--:|--:|---|'
	awk '$3 != "-" && $10 == "false"' "$dir/figures" |
		while read -r case figure _ median from to simulated _; do
			range="$from to $to"
			[ "$from" != - ] || range=-
			[ "$simulated" != null ] || simulated=-
			printf '| %s | %s | %s | %s | %.4g | %s |\n' "$case" "$figure" "$median" "$range" \
				"$simulated" "$(cause_of "$case" "$figure")"
		done
	echo
	echo 'All figures:'
	echo
	echo '| case | figure | real median | real range | simulated | holds |'
	echo '|---|---|--:|--:|--:|---|'
	awk '$3 != "-" {
		range = $5 == "-" ? "-" : $5 " to " $6
		holds = $8 == "null" && $9 == "null" ? "not judged" : $10 == "true" ? "yes" : "no"
		printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $4, range,
			$7 == "null" ? "-" : sprintf("%.4g", $7), holds
	}' "$dir/figures"
} >"$dir/table" || exit 1

awk -v table="$dir/table" '
/^<!-- truth: end -->$/ { skip = 0 }
!skip { print }
/^<!-- truth: begin -->$/ {
	print ""
	while ((getline line < table) > 0)
		print line
	print ""
	skip = 1
}' "$document" >"$dir/new" || exit 1
cmp -s "$dir/new" "$document" || cat "$dir/new" >"$document"
sed -n 1,8p "$dir/table"
[ ! -s "$dir/broken" ]
