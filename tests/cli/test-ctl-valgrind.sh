#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl: no leak and no invalid access, on a whole host and on the worst listings.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

requires valgrind --version
! grep -qE "__(a|t)san_init" "$FGRECLAIMCTL" || skip "built with a sanitizer"

# watched STATUS ARGUMENT...
watched()
{
	wanted=$1
	shift
	status=0
	timeout 120 valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all \
		--track-fds=no --error-exitcode=99 "$FGRECLAIMCTL" --root="$tree" "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" -eq "$wanted" ] || fail "exit $status, not $wanted: $*"
}

new_tree
for json in "" --json; do
	for verb in features list generations; do
		# shellcheck disable=SC2086
		watched 0 $verb $json
	done
done
watched 0 list --why
watched 0 generations mongod.service
watched 1 generations no-such.service
rm "$tree/sys/kernel/debug/lru_gen_full" "$tree/sys/kernel/debug/lru_gen"
watched 1 generations
for name in synthetic-damaged.lru_gen synthetic-paths.lru_gen synthetic-wide.lru_gen_full; do
	listing_tree "$srcdir/tests/fixtures/listings/$name"
	watched 0 generations
	watched 0 generations --json
	watched 1 list
done
