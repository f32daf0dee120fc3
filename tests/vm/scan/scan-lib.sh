# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scan tests in the guest share; sourced after $LIB.

dir=/scan.slice # of the test cgroups; systemd knows nothing of it
truth=/run/scan-truth
churn_pid=''

# start_churn N RATE: N cgroups, charged; RATE of them are removed and made again each second.
start_churn() {
	churn "$CG$dir" "$1" "$2" "$truth" >churn.txt &
	churn_pid=$!
	wait_for 120 made_or_ended
	grep -q ready churn.txt || fail "$1 cgroups could not be made"
}

made_or_ended() { grep -q ready churn.txt || ! kill -0 "$churn_pid" 2>/dev/null; }

# Ends it; all its cgroups are gone then.
stop_churn() {
	kill "$churn_pid"
	wait "$churn_pid" || fail "churn ends with $?"
}

# value FILE KEY: of lines KEY=VALUE.
value() { sed -n "s/^$2=//p" "$1"; }
