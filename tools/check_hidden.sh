#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Layers whose results must be the same everywhere use no floating point, no
# clock, no chance of the host, no environment, no locale and no threads. The
# text is read without its comments and strings; test programs are free.
set -u
files=$(for layer in base model sched kver engine workload observe; do
	[ ! -d "src/$layer" ] || find "src/$layer" -name '*.[chS]' -o -name '*.def'
done | grep -v -e '_test\.c$' -e '_fuzz\.c$' | sort)
[ -n "$files" ] || { echo "ok - hidden services # SKIP no sources"; exit 0; }
# shellcheck disable=SC2086
awk '
# The line without comments and without what stands in quotes.
function code(line,    out, c, two, quote)
{
	out = ""
	quote = ""
	while (line != "") {
		c = substr(line, 1, 1)
		two = substr(line, 1, 2)
		if (comment) {
			if (two == "*/") {
				comment = 0
				line = substr(line, 3)
				continue
			}
		} else if (quote != "") {
			if (c == "\\")
				line = substr(line, 2)
			else if (c == quote)
				quote = ""
		} else if (two == "/*") {
			comment = 1
			line = substr(line, 3)
			continue
		} else if (two == "//") {
			return out
		} else if (c == "\"" || c == "\047") {
			quote = c
		} else {
			out = out c
		}
		line = substr(line, 2)
	}
	return out
}
BEGIN {
	words = "float double _Complex rand srand random srandom drand48 rand_r getrandom " \
		"time clock clock_gettime gettimeofday times getenv secure_getenv setlocale " \
		"localeconv environ pthread_create thrd_create _Thread_local __thread sysconf"
	n = split(words, list, " ")
	for (i = 1; i <= n; i++)
		service[list[i]] = 1
	keyword["float"] = keyword["double"] = keyword["_Complex"] = 1
	keyword["_Thread_local"] = keyword["__thread"] = keyword["environ"] = 1
}
FNR == 1 { comment = 0 }
{
	text = code($0)
	for (pos = text; match(pos, /[A-Za-z_][A-Za-z_0-9]*/); pos = rest) {
		word = substr(pos, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(pos, RSTART - 1, 1) : ""
		rest = substr(pos, RSTART + RLENGTH)
		if (!(word in service) || before == "." || before == ">")
			continue
		# A function only counts where it is called.
		if (!(word in keyword) && rest !~ /^[ \t]*\(/)
			continue
		print "# " FILENAME ":" FNR ": " word
		bad = 1
	}
	if (text ~ /#[ \t]*include[ \t]*<(time|math|fenv|locale|pthread|threads|sys\/time)\.h>/) {
		print "# " FILENAME ":" FNR ": " text
		bad = 1
	}
}
END {
	print (bad ? "not ok" : "ok") " - hidden services"
	exit bad
}' $files
