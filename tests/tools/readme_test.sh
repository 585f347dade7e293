#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What README.md shows is what the command says: each fenced block whose first
# line is `$ build/release/runqlab ...` is run as a transcript of tests/cli, in
# which three dots stand for what was left out. Blocks after the line
# `<!-- long -->` are left to readme_long_test.sh.
#
#   readme_test.sh [--bless | --long] BUILD_DIR
#
# --bless writes into README.md what is said now.
set -u
bless=
which=short
case ${1:-} in
--bless) bless=--bless; which=all; shift ;;
--long) which=long; shift ;;
esac
build=${1:?build folder}
top=$(cd "$(dirname "$0")/../.." && pwd)
blocks=$(mktemp -d) || exit 1
trap 'rm -rf "$blocks"' EXIT

# With WRITE set, the text with the blocks as they are now in DIR; else cuts them out into DIR.
walk()
{
	awk -v dir="$blocks" -v write="$1" -v which=$which '
	/^```$/ && !inside { fence = $0; inside = 1; first = 1; if (write) print; next }
	inside && /^```$/ {
		if (block && write)
			while ((getline line <block) > 0) {
				sub(/^\$ runqlab/, "$ build/release/runqlab", line)
				print line
			}
		if (block)
			close(block)
		inside = 0
		block = ""
		if (write) print
		next
	}
	/^<!-- long -->$/ { long = 1 }
	inside && first {
		first = 0
		block = /^\$ build\/release\/runqlab / ? dir "/README-" ++n ".txt" : ""
		if (!write && which != "all" && which != (long ? "long" : "short"))
			block = ""
		long = 0
	}
	inside && block {
		sub(/^\$ build\/release\/runqlab/, "$ runqlab")
		if (!write) print >block
		next
	}
	write { print }' "$top/README.md"
}

walk ''
ls "$blocks"/README-*.txt >/dev/null 2>&1 || { echo "not ok - README.md shows no run of the command"; exit 1; }
sh "$top/tests/cli/run.sh" $bless "$build" "$blocks"/README-*.txt || exit 1
[ -n "$bless" ] || exit 0
walk write >"$blocks/new"
cp "$blocks/new" "$top/README.md"
