#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the whole daemon costs at 200 cgroups with an interval of 5 s: at most 1 % of one core.
#
# A core is taken to do one instruction in a nanosecond, which few of today's do so badly. The guest's
# clock counts instructions (QEMU -icount shift=0: one for each nanosecond), so the scheduler's account
# of CPU time, kernel included and all threads, counts them too, the same on every host.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=scan-lib.sh
source "$IN/scan-lib.sh"

cgroups=200
most_ppm=10000

scan-count >calibration.txt || (($? == 1)) || skip "the clock does not count instructions"

inhabit "$CG$dir" "$cgroups" 5 >inhabit.txt &
inhabit_pid=$!
wait_for 300 grep -q ready inhabit.txt || fail "the cgroups cannot be filled"

# CpuBudget= would hide the cost behind a longer interval.
agent_cgroup=/system.slice/tick-agent.service
# start_agent INTERVAL: at work on all cgroups, past the looks that open their files.
start_agent() {
	cat >tick.conf <<-END
		[Agent]
		DryRun=yes
		Interval=$1
		CpuBudget=100%
		[Class all]
		Match=$dir/*
	END
	systemd-run -q --unit=tick-agent --service-type=notify -p LimitNOFILE=65536 \
		"$IN/bin/fgreclaimd" --config="$PWD/tick.conf"
	sleep 15
	systemctl show -P StatusText tick-agent >status.txt
	grep -qE "^tiers, dry run: $cgroups of " status.txt || fail "$(<status.txt)"
}

cpu_usec() { sed -n 's/^usage_usec //p' "$CG$agent_cgroup/cpu.stat"; }
uptime_usec() { awk '{ printf "%d", $1 * 1e6 }' /proc/uptime; }
switches() { sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$(systemctl show -P MainPID tick-agent)/status"; }

# measure SECONDS: sets $cpu (usec, of the whole daemon), $passed (usec) and $woken.
measure() {
	cpu=$(cpu_usec) passed=$(uptime_usec) woken=$(switches)
	sleep "$1"
	cpu=$(($(cpu_usec) - cpu)) passed=$(($(uptime_usec) - passed)) woken=$(($(switches) - woken))
}

start_agent 5s
measure 60
systemctl stop tick-agent
ppm=$((cpu * 1000000 / passed)) ticks=$((passed / 5000000))
progress "$cgroups cgroups: $((cpu / ticks)) thousand instructions a tick, $ppm ppm of a core"
((woken >= 2 * (ticks - 1))) || fail "woken $woken times in $ticks ticks"

# Five times as many ticks cost so much more: what is measured is them.
start_agent 1s
measure 20
systemctl stop tick-agent
often_ppm=$((cpu * 1000000 / passed))
progress "five times as often: $often_ppm ppm"
((often_ppm > 3 * ppm)) || fail "ticks five times as often take $often_ppm ppm, not five times $ppm"

kill "$inhabit_pid"
wait "$inhabit_pid" || fail "inhabit ends with $?"
((ppm <= most_ppm)) || fail "the daemon takes $ppm ppm of a core, more than $most_ppm"
