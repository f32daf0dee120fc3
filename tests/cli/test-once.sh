#!/bin/sh
# SPDX-License-Identifier: MIT
# --once on a recorded tree: a table, and nothing in the tree has changed.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

new_tree
mkdir -p "$tree/etc/fgreclaim"
# Even where it is told to act.
printf '[Agent]\nDryRun=no\n[Class db]\nMatch=/**/mongod.service\n[Class rest]\nMatch=/**\n' \
	>"$tree/etc/fgreclaim/fgreclaimd.conf"
fingerprint "$tree" >"$tmp/before"
for options in "" --dry-run; do
	# shellcheck disable=SC2086
	run 0 --once --root="$tree" $options
	has_once out "capability: tiers"
	has out "dry run"
	has_once out " /system.slice/mongod.service: "
	has_once out ' /system.slice/nginx:web server\x2d1.service: '
	has_once out " /init.scope: never touched"
	has_once out " /: never touched"
	grep -q '^ *802M .* db  *[^ ]*/mongod.service' "$tmp/out" || fail "no class, or no size"
	grep -q ' rest  *[^ ]*/user-1000.slice' "$tmp/out" || fail "no second class"
	# One line a cgroup, below two of heading.
	[ "$(wc -l <"$tmp/out")" -eq $((2 + $(find "$tree/sys/fs/cgroup" -type d | wc -l))) ] ||
		fail "not one line a cgroup"
	lacks out "{}"
done
fingerprint "$tree" | cmp - "$tmp/before" || fail "the tree has changed"

# A link, and a directory that cannot be looked into, are no reason to fail.
ln -s .. "$tree/sys/fs/cgroup/user.slice/loop"
mkfifo "$tree/sys/fs/cgroup/user.slice/fifo"
run 0 --once --root="$tree"
lacks out loop
