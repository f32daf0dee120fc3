#!/bin/sh
# SPDX-License-Identifier: MIT
# The traces of a real kernel in tests/traces: planned again as they were, and under another configuration.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

traces=$srcdir/tests/traces
for trace in act dry; do
	run_ctl 0 replay "$traces/$trace.jsonl"
	is_empty err
	cmp -s "$tmp/out" "$traces/$trace.plans" || fail "other plans: $trace"
	has_once out "all plans are those that were recorded"
	run_ctl 0 plot "$traces/$trace.jsonl" -o "$tmp/$trace.svg"
	grep -q '</svg>' "$tmp/$trace.svg" || fail "no picture: $trace"
done

# Without anon nothing of the idle unit is taken.
printf '[Agent]\nDryRun=no\n[Class file]\nMatch=/system.slice/**\nReclaim=file\n' >"$tmp/file.conf"
run_ctl 0 replay "$traces/act.jsonl" --config="$tmp/file.conf"
has_once out "$(sed -n 2p "$traces/act.plans")"
has_once out "other configuration: 0 agings, "
has out "/system.slice/cold.service: "

# Names that were hashed are none of the host's.
grep -qE 'cold\.service|loop\.service' "$traces/dry.jsonl" && fail "a name"
exit 0
