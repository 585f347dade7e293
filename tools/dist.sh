#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes FOLDER/NAME.tar.gz of the files of the project, the same bytes each time.
#
#   dist.sh NAME FOLDER
set -eu
name=${1:?name}
folder=${2:?folder}
here=$(dirname "$0")
mkdir -p "$folder"
date=@0
if [ -e .git ] && command -v git >/dev/null; then
	date=@$(git log -1 --format=%ct 2>/dev/null || echo 0)
fi
sh "$here/tree.sh" --tracked | tar -c --no-recursion --sort=name --mtime="$date" --owner=0 --group=0 \
	--numeric-owner --mode=go-w --format=ustar --transform="s|^|$name/|" -T - -f - |
	gzip -9n >"$folder/$name.tar.gz.new"
mv "$folder/$name.tar.gz.new" "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
