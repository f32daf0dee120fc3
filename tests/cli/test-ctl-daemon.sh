#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl asks a running daemon, over a bus of the test's own that has our policy: status, pause,
# resume, reload; without a daemon, with two, without permission, and when the bus goes.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"
. "$srcdir/tests/cli/bus.sh"

requires busctl --version
requires python3 --version

new_tree
conf=$tmp/x.conf
printf '[Agent]\nInterval=500ms\n' >"$conf"
start_bus "$user"

# Nobody is there, and none is started for the question.
for verb in status pause resume reload; do
	run_ctl 1 $verb
	is_empty out
	has_once err "fgreclaimd does not run"
done

start_agent agent
wait_for_ctl 0 --json status
json_is '"running"' 's["state"]'
json_is '[]' 's["paused"]'
json_is 'true' 's["dry_run"]'
json_is '"0.1.0"' 's["version"]'
json_is 'true' 's["looks"] > 0 and s["cgroups"] > s["class_cgroups"] > 0 and s["rss_bytes"] > 4096'
# Each property has a key.
busctl --json=short --address="$DBUS_SYSTEM_BUS_ADDRESS" call org.fgreclaim1 /org/fgreclaim1 \
	org.freedesktop.DBus.Properties GetAll s org.fgreclaim1.Manager >"$tmp/properties"
keys=$(json 'len(s)')
[ "$(grep -o '"type"' "$tmp/properties" | wc -l)" -eq $((keys + 1)) ] ||
	fail "not $keys properties: $(cat "$tmp/properties")"
run_ctl 0 status
has out "fgreclaimd 0.1.0: running, dry run"
has out "would have asked for"
has out "paused     nothing"
is_empty err

run_ctl 0 pause mongod.service
has_once out "/system.slice/mongod.service: paused"
wait_for agent "/system.slice/mongod.service: paused"
run_ctl 0 --json pause /system.slice/mongod.service
json_is '{"cgroup": "/system.slice/mongod.service", "paused": true}' s
has_once agent "/system.slice/mongod.service: paused"
run_ctl 0 --json status
json_is '["/system.slice/mongod.service"]' 's["paused"]'
json_is 1 's["paused_cgroups"]'
run_ctl 1 pause no-such.service
has_once err 'no cgroup "no-such.service"'
# It outlives a reload.
run_ctl 0 reload
is_empty out
wait_for agent "configuration loaded"
run_ctl 0 pause
has_once out "the whole host: paused"
run_ctl 0 status
has out ": paused, dry run"
has out "paused     the whole host"
run_ctl 1 resume mongod.service
has_once err "paused with all of the host"
run_ctl 0 --json resume
json_is '{"cgroup": "/", "paused": false}' s
run_ctl 0 --json status
json_is '[]' 's["paused"]'
json_is '"running"' 's["state"]'

# A bad file: as for the daemon itself.
printf '[Agent]\nInterval=never\n' >"$conf"
run_ctl 78 reload
has_once err "$conf:2: Interval"
printf '[Agent]\nInterval=500ms\n' >"$conf"
run_ctl 0 --json reload
json_is '{"reloaded": true}' s

# As systemctl service-log-level does.
busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" set-property org.fgreclaim1 \
	/org/freedesktop/LogControl1 org.freedesktop.LogControl1 LogLevel s debug
wait_for agent "log level is debug now"

# A second one waits for the name, and has it when the first one ends.
first=$agent
start_agent second
wait_for second "another agent has the name"
run_ctl 0 pause
wait_for agent "the host: paused"
lacks second paused
stop_agent "$first"
run_ctl 0 --json status
json_is '"running"' 's["state"]'
stop_agent "$agent"
agents=
run_ctl 1 status
has_once err "fgreclaimd does not run"

# The bus says who may act, and all may read.
stop_bus
start_bus nobody
start_agent agent
wait_for_ctl 0 status
for verb in pause resume reload; do
	run_ctl 1 $verb
	is_empty out
	has_once err "not permitted: only root may $verb"
done
lacks agent "paused"
# Without a bus it goes on.
stop_bus
run_ctl 1 status
has_once err "no system bus"
kill -0 "$agent" || fail "the bus took the daemon along"
stop_agent "$agent"
agents=
has_once agent "stopped"
