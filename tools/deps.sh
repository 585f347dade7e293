#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What runqlab is built with, found by compiling, not by package names.
#
#   deps.sh check   build|test    nothing is changed; exit 1 with the line to type
#   deps.sh install build|test    as root on a Debian: installs what is missing
set -u
action=${1:?check or install}
purpose=${2:?build or test}
CC=${CC:-gcc}

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# links HEADERS LIBS: can a program with these headers and libraries be built?
links()
{
	for header in $1; do echo "#include <$header>"; done > "$dir/t.c"
	echo 'int main(void) { return 0; }' >> "$dir/t.c"
	# shellcheck disable=SC2086
	"$CC" "$dir/t.c" $2 -o "$dir/t" >/dev/null 2>&1
}

# hwloc reads XML files of any layout only with its libxml plugin, loaded at run time.
xml_plugin_is_there()
{
	for so in /usr/lib/*/hwloc/hwloc_xml_libxml.so /usr/lib/hwloc/hwloc_xml_libxml.so; do
		[ -e "$so" ] && return 0
	done
	return 1
}

missing_packages()
{
	if ! links stdio.h ''; then
		echo gcc libc6-dev libhwloc-dev libhwloc-plugins libjsmn-dev libjson-c-dev
		[ "$purpose" = test ] && echo libcmocka-dev
		return
	fi
	links hwloc.h -lhwloc || echo libhwloc-dev
	xml_plugin_is_there || ! command -v apt-get >/dev/null || echo libhwloc-plugins
	links 'stddef.h jsmn.h' '' || echo libjsmn-dev
	links json-c/json.h -ljson-c || echo libjson-c-dev
	[ "$purpose" = test ] || return
	links 'stdarg.h stddef.h setjmp.h stdint.h cmocka.h' -lcmocka || echo libcmocka-dev
}

missing=$(missing_packages | tr '\n' ' ')
missing=${missing% }
[ -n "$missing" ] || exit 0

say_what_to_type()
{
	echo "runqlab needs headers that are not here; on Debian, as root, type" >&2
	echo "apt-get update && apt-get install -y $missing" >&2
	exit 1
}

[ "$action" = install ] || say_what_to_type
[ "$(id -u)" = 0 ] || say_what_to_type
command -v apt-get >/dev/null || say_what_to_type

export DEBIAN_FRONTEND=noninteractive
apt='apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0'
log=$dir/log

install_missing()
{
	# shellcheck disable=SC2086
	$apt install --no-install-recommends $missing </dev/null >"$log" 2>&1
}

has_lists()
{
	for package in $missing; do
		apt-cache show "$package" >/dev/null 2>&1 || return 1
	done
}

echo "installing $missing"
fetched=no
if ! has_lists; then
	echo "fetching the package lists"
	$apt update </dev/null >"$log" 2>&1 || cat "$log" >&2
	fetched=yes
fi
if ! install_missing; then
	# Lists may be older than the archive: fetch them once and try again.
	if [ $fetched = yes ] || ! { $apt update </dev/null && install_missing; } >>"$log" 2>&1; then
		cat "$log" >&2
		say_what_to_type
	fi
fi
missing=$(missing_packages | tr '\n' ' ')
missing=${missing% }
[ -z "$missing" ] || say_what_to_type
