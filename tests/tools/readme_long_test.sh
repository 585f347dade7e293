#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The blocks of README.md after the line `<!-- long -->`, for the release build
# only: sanitizers and audits would take many minutes for them. 40 s of CPU time.
# time limit: 900 s
#
#   readme_long_test.sh BUILD_DIR
build=${1:?build folder}
if [ "${build##*/}" != release ]; then
	echo "ok - long blocks of README.md # SKIP the release build runs them"
	exit 0
fi
exec sh "$(dirname "$0")/readme_test.sh" --long "$build"
