#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints a manual page made of what the command says about itself.
#
#   man.sh COMMAND VERSION
command=${1:?command}
version=${2:?version}
cat <<END
.\\" SPDX-License-Identifier: GPL-2.0-or-later
.TH RUNQLAB 1 "" "runqlab $version" "User Commands"
.SH NAME
runqlab \\- the Linux CPU scheduler on machines you do not have
.SH DESCRIPTION
.nf
END
"$command" --help </dev/null | sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'\'']\)/\\\&\1/'
echo .fi
