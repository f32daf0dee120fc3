#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples and profiles that are installed: each is a configuration, and so are all profiles together.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

conf=${srcdir:-$(dirname "$0")/../..}/conf
new_tree
mkdir -p "$tree/etc/fgreclaim/fgreclaimd.conf.d"
for file in "$conf"/examples/*.conf "$conf"/profiles/*.conf; do
	run 0 --check-config --config="$file"
	has out "configuration OK"
	is_empty err
done
cp "$conf"/profiles/*.conf "$tree/etc/fgreclaim/fgreclaimd.conf.d/"
run 0 --dump-config --root="$tree"
is_empty err
grep '^\[Class ' "$conf"/profiles/*.conf | sed 's/.*:\[/[/' | sort >"$tmp/classes"
sort -u "$tmp/classes" | cmp - "$tmp/classes" || fail "two profiles have a class of one name"
grep '^\[Class ' "$tmp/out" | sort | cmp - "$tmp/classes" || fail "a class is missing"
