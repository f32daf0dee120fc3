#!/bin/sh
# SPDX-License-Identifier: MIT
# The daemon on a recorded tree: starts, keeps its configuration when a reload meets a bad file, and
# ends at SIGTERM.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

new_tree
conf=$tmp/x.conf
good='[Agent]\nInterval=500ms\n'

# start: in the background, $pid, at work.
start()
{
	# shellcheck disable=SC2059
	printf "$good" >"$conf"
	rm -f "$tmp/err" # what a former one said
	timeout 60 "$FGRECLAIMD" --root="$tree" --config="$conf" >"$tmp/out" 2>"$tmp/err" &
	timeout=$!
	wait_for err "watching"
	pid=$(pgrep -P "$timeout")
}

# stop SIGNAL: exit 0 is wanted, and not by the timeout.
stop()
{
	kill -s "$1" "$pid"
	status=0
	wait "$timeout" || status=$?
	[ "$status" -eq 0 ] || fail "exit $status after SIG$1"
	timeout=
	has_once err stopped
}

count_descriptors()
{
	find "/proc/$pid/fd" -mindepth 1 | wc -l
}

requires pgrep -V
# shellcheck disable=SC2016 # expanded at the end of the test
cleanup_fn '[ -z "${timeout:-}" ] || kill "$timeout" 2>/dev/null'

start
# Some ticks later it is there still, and has said nothing more.
lines=$(wc -l <"$tmp/err")
sleep 1.2
kill -0 "$pid" || fail "ended by itself"
[ "$(wc -l <"$tmp/err")" -eq "$lines" ] || fail "it is not silent"

printf '[Agent]\nInterval=never\n' >"$conf"
kill -HUP "$pid"
wait_for err "$conf:2: Interval:"
has_once err "the former configuration stays"
kill -0 "$pid" || fail "a bad file ended it"
rm "$conf"
kill -HUP "$pid"
wait_for err "No such file"
kill -0 "$pid" || fail "a missing file ended it"

printf '[Agent]\nInterval=500ms\n[Class db]\nMatch=/**\n' >"$conf"
for _ in 1 2 3; do
	kill -HUP "$pid"
	sleep 0.2
done
wait_for err "configuration loaded"

# A class waits: said once, not once a tick; and once when its first cgroup has come.
printf '[Agent]\nInterval=500ms\n[Class late]\nMatch=/late.slice/*\n' >"$conf"
kill -HUP "$pid"
wait_for err "class late: no cgroup belongs to it yet, see $conf:4"
sleep 1.2
has_once err "no cgroup belongs to it yet"
# Moved there whole, since a scan may come at any time.
mkdir -p "$tmp/late.slice/a.service"
echo 4096 | tee "$tmp/late.slice/memory.current" >"$tmp/late.slice/a.service/memory.current"
mv "$tmp/late.slice" "$tree/sys/fs/cgroup/"
wait_for err "class late: its first cgroup is /late.slice/a.service"
rm -r "$tree/sys/fs/cgroup/late.slice"
sleep 1.2
has_once err "its first cgroup"
has_once err "no cgroup belongs to it yet"

# A cgroup comes, another goes, one changes into a file.
rm -r "$tree/sys/fs/cgroup/user.slice"
touch "$tree/sys/fs/cgroup/user.slice"
mkdir -p "$tree/sys/fs/cgroup/new.slice"
sleep 0.7
rm -r "$tree/sys/fs/cgroup/user.slice" "$tree/sys/fs/cgroup/new.slice"
sleep 0.7
kill -0 "$pid" || fail "ended when cgroups went"
count_descriptors >"$tmp/descriptors"
sleep 1.2
count_descriptors | cmp -s - "$tmp/descriptors" || fail "descriptors leak from tick to tick"
stop TERM
is_empty out

# At debug each cgroup that comes or goes is named.
SYSTEMD_LOG_LEVEL=debug
export SYSTEMD_LOG_LEVEL
start
mkdir "$tmp/short.slice"
echo 4096 >"$tmp/short.slice/memory.current"
mv "$tmp/short.slice" "$tree/sys/fs/cgroup/"
wait_for err "/short.slice: appeared"
rm -r "$tree/sys/fs/cgroup/short.slice"
wait_for err "/short.slice: vanished"
lacks err "/system.slice: appeared"
stop INT
