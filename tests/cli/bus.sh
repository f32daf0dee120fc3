# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# A bus of the test's own with our policy, and agents on it: sourced behind functions.sh. They end with the
# test.
# shellcheck disable=SC2154 # srcdir, tmp, tree, conf: of functions.sh, and of the test

requires dbus-daemon --version

user=$(id -un)
# shellcheck disable=SC2016 # expanded at the end of the test
cleanup_fn 'kill $bus $agents 2>/dev/null; wait'
bus=
agents=

# start_bus ACTOR: may act; we may be the agent in any case.
start_bus()
{
	sed "s/policy user=\"root\"/policy user=\"$1\"/" "$srcdir/conf/org.fgreclaim1.conf" \
		>"$tmp/policy.conf"
	cat >"$tmp/bus.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
	"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
	<listen>unix:path=$tmp/bus</listen>
	<auth>EXTERNAL</auth>
	<policy context="default">
		<allow user="*"/>
		<deny own="*"/>
		<deny send_type="method_call"/>
		<allow send_destination="org.freedesktop.DBus"/>
		<allow send_requested_reply="true" send_type="method_return"/>
		<allow send_requested_reply="true" send_type="error"/>
		<allow receive_type="method_call"/>
		<allow receive_type="method_return"/>
		<allow receive_type="error"/>
		<allow receive_type="signal"/>
	</policy>
	<include>$tmp/policy.conf</include>
	<policy user="$user"><allow own="org.fgreclaim1"/></policy>
</busconfig>
END
	rm -f "$tmp/bus" "$tmp/bus.address"
	dbus-daemon --config-file="$tmp/bus.conf" --nofork --nopidfile --print-address \
		>"$tmp/bus.address" 2>"$tmp/bus.err" &
	bus=$!
	wait_for bus.address "unix:path"
}

stop_bus()
{
	kill "$bus"
	wait "$bus" || :
	bus=
}

# start_agent NAME: its messages are in $tmp/NAME.
start_agent()
{
	"$FGRECLAIMD" --root="$tree" --config="$conf" 2>"$tmp/$1" &
	agent=$!
	agents="$agents $agent"
	wait_for "$1" "watching"
}

stop_agent()
{
	kill "$1"
	wait "$1" || fail "exit $? of a daemon"
}

# wait_for_ctl STATUS ARGUMENT...: until it ends so.
wait_for_ctl()
{
	wanted=$1
	shift
	for _ in $(seq 100); do
		status=0
		"$FGRECLAIMCTL" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
		[ "$status" -eq "$wanted" ] && return
		sleep 0.05
	done
	fail "exit $status, not $wanted: $*"
}

# Rates are there from the second look on.
wait_for_looks() # NUMBER
{
	for _ in $(seq 600); do
		if "$FGRECLAIMCTL" --json status >"$tmp/out" 2>"$tmp/err" &&
			[ "$(json "s['looks'] >= $1")" = true ]; then
			return
		fi
		sleep 0.05
	done
	fail "no $1 looks"
}

# json EXPRESSION: what it is of $tmp/out.
json()
{
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
print(json.dumps(eval(sys.argv[2])))' "$tmp/out" "$1"
}

# json_is WANTED EXPRESSION
json_is()
{
	found=$(json "$2")
	[ "$found" = "$1" ] || fail "$2 is $found, not $1"
}
