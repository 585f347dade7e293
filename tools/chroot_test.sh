#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Proves the two commands on a machine that has only gcc, make and root: a
# minimal Debian 12 in a temporary folder, the committed tree copied into it,
# `make run` and `make test` there. Needs root, git, debootstrap and about
# 1 GB. How this machine reaches its package archive is read when this runs.
#
#   chroot_test.sh [run|test|deps]...        default: run test
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- run test
[ "$(id -u)" = 0 ] || { echo "chroot_test: needs root" >&2; exit 2; }
for need in debootstrap git chroot; do
	command -v $need >/dev/null || { echo "chroot_test: needs $need" >&2; exit 2; }
done

# The first archive of the host that serves Debian 12, from either kind of list.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
	/etc/apt/sources.list.d/*.sources 2>/dev/null | awk '
	function offer() { if (uri != "" && suites ~ /(^| )bookworm( |$)/ && !found) { print uri; found = 1 } }
	/^deb / {
		for (i = 2; i < NF && $i !~ /:\/\//; i++)
			;
		uri = $i
		suites = $(i + 1)
		offer()
		uri = suites = ""
	}
	/^Types:/ { offer(); uri = suites = "" }
	/^URIs:/ { uri = $2 }
	/^Suites:/ { $1 = ""; suites = $0 " " }
	END { offer() }')
[ -n "$mirror" ] || { echo "chroot_test: no Debian 12 archive configured" >&2; exit 2; }

root=$(mktemp -d) || exit 1
mounted=
cleanup()
{
	for place in $mounted; do umount -l "$place"; done
	rm -rf --one-file-system "$root"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

echo "making a minimal Debian 12 with gcc and make"
if ! debootstrap --variant=minbase --include=gcc,libc6-dev,make bookworm "$root" "$mirror" \
	>"$root.log" 2>&1; then
	tail -n 20 "$root.log" "$root/debootstrap/debootstrap.log" 2>/dev/null
	rm -f "$root.log"
	exit 1
fi
rm -f "$root.log"
# As a fresh machine: no package lists, and the host's way to the archive.
rm -rf "$root"/var/lib/apt/lists/*
for file in /etc/resolv.conf /etc/hosts; do
	[ ! -f $file ] || cp -L $file "$root$file"
done
mkdir -p "$root/etc/apt/apt.conf.d"
apt-config dump | grep -iE '^Acquire::(http|https|ForceIPv4|Retries)' >"$root/etc/apt/apt.conf.d/90host"
for folder in /etc/apt/auth.conf.d /etc/apt/keyrings /etc/ssl/certs /usr/local/share/ca-certificates; do
	[ ! -d $folder ] || { mkdir -p "$root$folder"; cp -rL $folder/. "$root$folder" 2>/dev/null; }
done
echo "deb $mirror bookworm main" >"$root/etc/apt/sources.list"
for kind in proc sys dev; do
	mkdir -p "$root/$kind"
	mount --rbind /$kind "$root/$kind" 2>/dev/null && mount --make-rslave "$root/$kind" &&
		mounted="$mounted $root/$kind"
done
for absent in git python3 pkg-config clang; do
	! chroot "$root" sh -c "command -v $absent" >/dev/null ||
		echo "chroot_test: note: $absent is there" >&2
done

mkdir "$root/runqlab"
(cd "$top" && git archive HEAD) | tar -x -C "$root/runqlab" || exit 1
passed=0
failed=0
inside()
{
	begin=$(date +%s)
	echo "== $*"
	if env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ TERM=dumb \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$root" sh -c "cd /runqlab && $*" </dev/null; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $*"
	fi
	echo "== $(($(date +%s) - begin)) s"
}
for what in "$@"; do
	case $what in
	deps) inside 'sh tools/deps.sh install build && sh tools/deps.sh install test' ;;
	*) inside "make $what" ;;
	esac
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
