#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Includes go downwards only, as tools/layers.txt says: a file of a layer may
# include the layers named after the colon and its own. Below a listed
# subfolder (sched/fair) the same holds for its neighbours, while the files
# directly in the layer's folder are open to all of it. Test programs and
# fuzzers are judged like the module they stand beside.
set -u
[ -d src ] || { echo "ok - layers # SKIP no src/"; exit 0; }
find src -name '*.[ch]' -o -name '*.def' | sort | xargs awk '
function folder(path,    n, part)
{
	n = split(path, part, "/")
	if (n >= 3 && (part[1] "/" part[2]) in allowed)
		return part[1] "/" part[2]
	return part[1]
}
function layer(f)
{
	sub(/\/.*/, "", f)
	return f
}
function may(from, to)
{
	if (layer(from) != layer(to))
		return index(allowed[layer(from)], " " layer(to) " ") > 0
	# Inside one layer: its top folder is open to its subfolders, and
	# neighbours follow their own row.
	if (from == to || to == layer(to) || from == layer(from) && !(to in allowed))
		return 1
	return index(allowed[from], " " to " ") > 0
}
FILENAME == "tools/layers.txt" {
	if ($0 ~ /^[a-z]/) {
		name = $0
		sub(/:.*/, "", name)
		sub(/^[^:]*:/, "")
		gsub(/[ \t]+/, " ")
		allowed[name] = " " $0 " "
	}
	next
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	file = FILENAME
	sub(/^src\//, "", file)
	from = folder(file)
	if (!(layer(from) in allowed)) {
		if (!(from in unknown))
			bad[++n] = FILENAME ": folder `" from "` is not in tools/layers.txt"
		unknown[from] = 1
		next
	}
	if (quoted[2] ~ /^(support|by_hand)[.]h$/ && FILENAME ~ /_test\.c$/ || quoted[2] == "runqlab.h")
		next
	if (quoted[2] !~ /\//) {
		bad[++n] = FILENAME ":" FNR ": \"" quoted[2] "\" does not name its folder"
		next
	}
	to = folder(quoted[2])
	if (!may(from, to))
		bad[++n] = FILENAME ":" FNR ": " from " may not include " quoted[2]
}
END {
	for (i = 1; i <= n; i++)
		print "# " bad[i]
	print (n ? "not ok" : "ok") " - layers"
	exit n > 0
}' tools/layers.txt
