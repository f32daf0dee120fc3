# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the agent's tests in the guest share; sourced after $LIB. The scripts run in the order of
# their names in one guest: 10 installs and starts the agent, 50 stops it.

dropins=/etc/fgreclaim/fgreclaimd.conf.d
state=/run/agent-test

# configure NAME <<TEXT: a drop-in; takes effect with the next reload.
configure() { mkdir -p "$dropins" && cat >"$dropins/$1.conf"; }

# since: everything that the agent has logged after mark was called last.
mark() { echo "@$EPOCHREALTIME" >"$state/mark"; }
since() { journalctl -q --no-pager -o cat -u fgreclaimd --since="$(<"$state/mark")"; }
warnings() { journalctl -q --no-pager -o cat -p warning -u fgreclaimd --since="$(<"$state/mark")"; }
logged() { since | grep -qE -- "$1"; }

main_pid() { systemctl show -P MainPID fgreclaimd; }
status_text() { systemctl show -P StatusText fgreclaimd; }
status_is() { status_text | grep -qE -- "$1"; }

is_unharmed() {
	systemctl is-active --quiet fgreclaimd || fail "the agent is not running"
	[[ $(systemctl show -P NRestarts fgreclaimd) == 0 ]] || fail "the agent was restarted"
}

# All that the agent must leave as it was: limits, protection, and what the kernel is set to.
settings() {
	grep -rH . --include='memory.min' --include='memory.low' --include='memory.high' \
		--include='memory.max' --include='memory.swap.max' "$CG/system.slice" "$CG/init.scope" |
		grep -v fgreclaimd.service
	grep -H . /sys/kernel/mm/lru_gen/{enabled,min_ttl_ms} /proc/sys/vm/{swappiness,overcommit_memory}
}

# value FILE KEY: of lines KEY=VALUE.
value() { sed -n "s/^$2=//p" "$1"; }
