#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that does not answer, as memory.stat may for seconds: the daemon still hears signals, goes on
# when the answer comes, and ends when it does not. A FIFO that nobody writes to stands for the file.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

requires pgrep -V
new_tree
conf=$tmp/x.conf
# shellcheck disable=SC2016 # expanded at the end of the test
cleanup_fn '[ -z "${timeout:-}" ] || kill "$timeout" 2>/dev/null'

# mute NAME: a cgroup whose cgroup.events does not answer.
mute()
{
	mkdir "$tree/sys/fs/cgroup/$1"
	mkfifo "$tree/sys/fs/cgroup/$1/cgroup.events"
	cp "$tree/sys/fs/cgroup/init.scope/memory.current" "$tree/sys/fs/cgroup/$1/"
}

# ThreadSanitizer has a thread of its own.
alone=1
! ldd "$FGRECLAIMD" 2>/dev/null | grep -q libtsan || alone=2

# is_reading: the daemon has a thread beside the loop, and keeps the very same.
is_reading()
{
	former='' seen=0
	for _ in $(seq 100); do
		threads=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | sort)
		[ "$threads" = "$former" ] && [ "$(echo "$threads" | wc -l)" -gt "$alone" ] || seen=0
		former=$threads seen=$((seen + 1))
		[ "$seen" -le 10 ] || return 0
		sleep 0.05
	done
	fail "it reads nothing for long"
}

printf '[Agent]\nInterval=500ms\n' >"$conf"
timeout 60 "$FGRECLAIMD" --root="$tree" --config="$conf" >"$tmp/out" 2>"$tmp/err" &
timeout=$!
wait_for err "watching"
pid=$(pgrep -P "$timeout")

mute first.slice
is_reading
kill -HUP "$pid"
wait_for err "configuration loaded"
# The answer comes, and it goes on to the next one.
: >"$tree/sys/fs/cgroup/first.slice/cgroup.events"
mute second.slice
is_reading

kill -TERM "$pid"
status=0
wait "$timeout" || status=$?
[ "$status" -eq 0 ] || fail "exit $status after SIGTERM"
timeout=
has_once err "a read under way does not end"
has_once err stopped
