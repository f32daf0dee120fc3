#!/bin/sh
# SPDX-License-Identifier: MIT
# --check-config and --dump-config: good files, faults with their place, drop-ins, no file.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

conf=$tmp/x.conf

# refused LINE KEY: the file has a fault there, in one line of stderr.
refused()
{
	run 78 --check-config --config="$conf"
	is_empty out
	has_once err "$conf:$1: $2:"
	[ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "more than a line"
}

printf '[Agent]\nInterval=2s\n[Class db]\nMatch=/system.slice/mongod.service\n' >"$conf"
run 0 --check-config --config="$conf"
has out "configuration OK"
is_empty err
run 0 --dump-config --config="$conf"
has out "Interval=2s"
has out "/system.slice/mongod.service"
# What is dumped is a configuration that says the same.
cp "$tmp/out" "$tmp/dump.conf"
run 0 --dump-config --config="$tmp/dump.conf"
sed '/^#/d; s/ *#.*//' "$tmp/out" >"$tmp/again"
sed '/^#/d; s/ *#.*//' "$tmp/dump.conf" | cmp - "$tmp/again" || fail "dump is not stable"

printf '[Agent]\nInterval=2\n' >"$conf"
refused 2 Interval
printf '[Agent]\n# a comment\n\nNoSuchKey=1\n' >"$conf"
refused 4 NoSuchKey
printf '[Agent]\nDryRun=perhaps\n' >"$conf"
refused 2 DryRun
# At start it is the same, before anything else is done.
run 78 --once --config="$conf" --root="$tmp"
has err "$conf:2: DryRun:"
is_empty out

run 78 --check-config --config="$tmp/none.conf"
has err none.conf
run 78 --check-config --config="$tmp"

# The standard places, below --root.
new_tree
run 0 --check-config --root="$tree"
mkdir -p "$tree/etc/fgreclaim/fgreclaimd.conf.d" "$tree/usr/lib/fgreclaim/fgreclaimd.conf.d"
printf '[Agent]\nInterval=3s\n' >"$tree/etc/fgreclaim/fgreclaimd.conf"
printf '[Agent]\nInterval=4s\n' >"$tree/etc/fgreclaim/fgreclaimd.conf.d/50-x.conf"
run 0 --dump-config --root="$tree"
has out "Interval=4s"
printf '[Agent]\nWriteMax=1\n' >"$tree/usr/lib/fgreclaim/fgreclaimd.conf.d/60-bad.conf"
run 78 --check-config --root="$tree"
has_once err "60-bad.conf:2: WriteMax:"
run 78 --once --root="$tree"
has_once err "60-bad.conf:2: WriteMax:"
is_empty out
# Masked, it does not count.
ln -s /dev/null "$tree/etc/fgreclaim/fgreclaimd.conf.d/60-bad.conf"
run 0 --check-config --root="$tree"
