#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the manual page, which the command makes of its own table of options.
#
#   man.sh COMMAND
set -u
command=${1:?command}
page=$("$command" --help=man </dev/null) || exit 1
case $page in
*.TH*) printf '%s\n' "$page" ;;
*)
	echo "man.sh: $command printed no manual page" >&2
	exit 1
	;;
esac
