#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/../.. source=guest-lib.sh
source "$LIB"

# The system is up, complete, and the harness is out of the way of the tests.

[[ $(</proc/1/comm) == systemd ]] || fail 'PID 1 is not systemd'
state=$(systemctl is-system-running) || fail "the system is $state: $(systemctl --failed --plain --no-legend)"
[[ $(</proc/self/cgroup) == 0::/harness.slice/* ]] || fail "this runs in $(</proc/self/cgroup)"
busctl --system list >/dev/null
systemd-analyze
