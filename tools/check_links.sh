#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A relative link in a Markdown file names a file that is there, and its
# anchor a heading of that file. Code blocks are not read.
set -u
here=$(dirname "$0")
faults=$(sh "$here/tree.sh" | grep '\.md$' | while IFS= read -r file; do
	awk -v file="$file" '
	/^[ \t]*```/ { fenced = !fenced; next }
	fenced { next }
	{
		gsub(/`[^`]*`/, "")
		while (match($0, /\]\([^)]+\)/)) {
			target = substr($0, RSTART + 2, RLENGTH - 3)
			$0 = substr($0, RSTART + RLENGTH)
			sub(/[ \t]+".*/, "", target)
			print FNR " " target
		}
	}' "$file" | while read -r line target; do
		case $target in
		*://* | mailto:*) continue ;;
		esac
		path=${target%%#*}
		anchor=
		case $target in *#*) anchor=${target#*#} ;; esac
		case $path in
		'') full=$file ;;
		/*) full=.$path ;;
		*) full=$(dirname "$file")/$path ;;
		esac
		if [ ! -e "$full" ]; then
			echo "# $file:$line: no $target"
		elif [ -n "$anchor" ] && [ -f "$full" ]; then
			sed -n 's/^##* *//p' "$full" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' |
				grep -qxF -e "$anchor" || echo "# $file:$line: no heading for #$anchor in $full"
		fi
	done
done)
[ -z "$faults" ] || { echo "$faults"; echo "not ok - links"; exit 1; }
echo "ok - links"
