#!/bin/sh
# SPDX-License-Identifier: MIT
# No leak and no invalid access in a whole run.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

requires valgrind --version
# A program with a sanitizer in it does not run there, and needs it not.
! grep -qE "__(a|t)san_init" "$FGRECLAIMD" || skip "built with a sanitizer"

new_tree
for options in --once "--once --dry-run" --check-config --dump-config --help; do
	status=0
	# shellcheck disable=SC2086
	timeout 120 valgrind -q --leak-check=full --show-leak-kinds=definite,indirect,possible \
		--errors-for-leak-kinds=definite,indirect,possible --track-fds=no \
		--error-exitcode=99 "$FGRECLAIMD" --root="$tree" $options \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" -eq 0 ] || fail "exit $status: $options"
	[ -s "$tmp/out" ] || fail "no output: $options"
done
