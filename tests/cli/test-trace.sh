#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimd --record, and fgreclaimctl replay and plot: what is recorded is planned again as it was, and
# nothing that happens to the file disturbs the agent.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

new_tree
conf=$tmp/conf
printf '[Agent]\nInterval=500ms\n[Class db]\nMatch=/**/mongod.service\n[Class rest]\nMatch=/**\n' >"$conf"
trace=$tmp/trace

# record STATUS OPTION...: two looks.
record()
{
	wanted=$1
	shift
	run "$wanted" --root="$tree" --config="$conf" --once "$@"
}

lines=6
# watch FILE OPTION...: a daemon, until FILE is made and has so many lines; it must end well.
watch()
{
	file=$1
	shift
	rm -f "$file"
	"$FGRECLAIMD" --root="$tree" --config="$conf" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	cleanup_fn "kill $pid 2>/dev/null"
	for _ in $(seq 300); do
		[ -e "$file" ] && [ "$(wc -l <"$file")" -ge "$lines" ] && break
		sleep 0.1
	done
	kill "$pid"
	wait "$pid" || fail "the daemon did not end well"
}

record 0 --record="$trace"
[ "$(wc -l <"$trace")" -eq 3 ] || fail "not a header and two looks"
[ "$(stat -c %a "$trace")" = 600 ] || fail "open to others"
run_ctl 0 replay "$trace"
is_empty err
has_once out "all plans are those that were recorded"
has_once out "2 ticks"
has_once out "7 cgroups"

# The former one is moved away; a reload is in the trace, and both are planned by what they were.
"$FGRECLAIMD" --root="$tree" --config="$conf" --record="$trace" >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
cleanup_fn "kill $pid 2>/dev/null"
wait_for trace.1 '"t":'
wait_for trace '"t":'
cp "$conf" "$tmp/first"
printf '[Agent]\nInterval=500ms\n[Class db]\nMatch=/**/mongod.service\nReclaim=none\n' >"$conf"
kill -HUP "$pid"
wait_for trace '{"config":'
sleep 1.5
kill "$pid"
wait "$pid" || fail "the daemon did not end well"
cp "$tmp/first" "$conf"
[ "$(wc -l <"$trace.1")" -eq 3 ] || fail "the former one is not there"
run_ctl 0 replay "$trace"
has_once out "all plans are those that were recorded"

# Another configuration: what differs, and why.
printf '[Class all]\nMatch=/**\nReclaim=file\n' >"$tmp/file-only"
watch "$trace" --record="$trace"
run_ctl 0 replay "$trace" --config="$conf"
has_once out "0 plans differ between the two"
run_ctl 0 replay "$trace" --config="$tmp/file-only"
has out "/system.slice/mongod.service: "
has out "class all, not db"
has out "now: anon is not to be taken here"
lacks out " 0 plans differ"
run_ctl 0 --json replay "$trace" --config="$tmp/file-only"
has out '"to":"anon-off"'
if command -v python3 >/dev/null; then
	python3 -m json.tool "$tmp/out" >/dev/null || fail "no JSON"
	python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$trace" || fail "not a line of JSON each"
fi
echo 'Nonsense' >"$tmp/bad"
run_ctl 78 replay "$trace" --config="$tmp/bad"

# A search over values.
run_ctl 0 replay "$trace" --sweep=db.Reclaim=all,none
has_once out "as recorded  "
[ "$(grep -c -E '^(all|none) ' "$tmp/out")" -eq 2 ] || fail "not a line for each value"
[ "$(awk '/^all / { print $3 }' "$tmp/out")" -gt "$(awk '/^none / { print $3 }' "$tmp/out")" ] ||
	fail "no fewer writes without the class"
run_ctl 0 --json replay "$trace" --sweep=CpuBudget=1%,2%
has out '"value":"2%"'
run_ctl 1 replay "$trace" --sweep=db.Reclaim=most
has err 'is not one of none, file, anon, all'
run_ctl 1 replay "$trace" --sweep=other.Reclaim=all
has err 'no class "other"'
for sweep in Reclaim Interval=1s,2s Nonsense=1 db.Anon=no Reclaim=; do
	run_ctl 2 replay "$trace" --sweep="$sweep"
done

# A plot, that is XML.
run_ctl 0 plot "$trace" -o "$tmp/plot.svg"
grep -q '<polyline' "$tmp/plot.svg" || fail "no curve"
if command -v python3 >/dev/null; then
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tmp/plot.svg" ||
		fail "no XML"
fi
run_ctl 1 plot "$trace" -o "$tmp/nowhere/plot.svg"
run_ctl 2 plot "$trace"
run_ctl 2 replay
run_ctl 2 replay "$trace" --output=x

# From standard input; cut off in its last line; not a trace at all.
"$FGRECLAIMCTL" replay - <"$trace" >"$tmp/out" || fail "not from standard input"
head -c -10 "$trace" >"$tmp/cut"
run_ctl 1 replay "$tmp/cut"
has_once err "cut:$(wc -l <"$trace"): cut off"
run_ctl 1 replay "$conf"
has_once err "conf:1: no object of JSON"
run_ctl 1 replay "$tmp/nowhere"

# Names that tell nothing.
watch "$tmp/hashed" --record="$tmp/hashed" --record-hash-names
for word in mongod system.slice nginx Match; do
	! grep -q "$word" "$tmp/hashed" || fail "$word is in the trace"
done
run_ctl 0 replay "$tmp/hashed"
has_once out "all plans are those that were recorded"
run_ctl 0 replay "$tmp/hashed" --config="$conf"
has_once out "0 plans differ between the two"

# Bounded, and the parts can be put together.
lines=2
watch "$tmp/small.1" --record="$tmp/small" --record-max=16K
[ "$(cat "$tmp/small" "$tmp/small.1" | wc -c)" -le 24000 ] || fail "larger than that"
cat "$tmp/small.1" "$tmp/small" >"$tmp/both"
run_ctl 0 replay "$tmp/both"
has_once out "all plans are those that were recorded"

# What is no trace stays; a directory that is not there, a device, a link; and a file that cannot grow:
# each is said once, and the agent does its work.
cp "$conf" "$tmp/precious"
ln -s "$tmp/precious" "$tmp/link"
for path in "$tmp/precious" "$tmp/link" "$tmp/nowhere/trace" /dev/full "$tmp"; do
	record 0 --record="$path"
	has_once err "recording stops: $path: "
	has out "/system.slice/mongod.service"
done
cmp "$conf" "$tmp/precious" || fail "a file of somebody's has changed"
(
	trap '' XFSZ
	ulimit -f 4
	record 0 --record="$tmp/full"
)
has_once err "recording stops: $tmp/full: writing: File too large"
has out "/system.slice/mongod.service"
[ ! -s "$tmp/full" ] || run_ctl 0 replay "$tmp/full"
run 2 --record-max=1K
run 2 --record-max=much
