#!/bin/sh
# SPDX-License-Identifier: MIT
# Options that print and leave; wrong ones; output that cannot be written.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

run 0 --help
for option in --config= --root= --dry-run --once --check-config --dump-config --version --help; do
	has out "$option"
done
is_empty err
run 0 --version
grep -qE '^fgreclaim [0-9]+\.[0-9]+' "$tmp/out" || fail "no version"
[ "$(wc -l <"$tmp/out")" -eq 1 ] || fail "more than a line"
# The first of two wins, and what follows it is not looked at.
run 0 --version --help
lacks out --config

run 2 --no-such-option
is_empty out
has err no-such-option
run 2 -x
run 2 --config
run 2 --root
run 2 --once=yes
has err "--once"
run 2 --once extra
has err '"extra"'
run 2 ''
is_empty out

[ -c /dev/full ] || skip "no /dev/full"
new_tree
for option in --help --version --check-config --dump-config --once; do
	status=0
	"$FGRECLAIMD" $option --root="$tree" >/dev/full 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ] || fail "$option to a full device: exit $status"
	has_once err "standard output"
	has_once err "No space left"
done
