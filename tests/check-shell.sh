#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Shell scripts that shellcheck has nothing to say about.
set -eu
command -v shellcheck >/dev/null || exit 77

cd "${srcdir:-.}"
mapfile -t scripts < <(grep -rlE '^#!/bin/(ba)?sh' --include='*' bootstrap autogen.sh conf debian tests |
	grep -v '\.log$' | sort)
shellcheck -x "${scripts[@]}" completion/fgreclaimctl
