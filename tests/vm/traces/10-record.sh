#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Records the traces, replays them, fills a disk under one, and counts what recording costs.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=../life/life-lib.sh
source "$IN/life-lib.sh"

traces=/var/lib/fgreclaim

# run_agent OPTION...: the unit, with these options.
run_agent() {
	mkdir -p /run/systemd/system/fgreclaimd.service.d
	printf '[Service]\nExecStart=\nExecStart=/usr/sbin/fgreclaimd %s\n' "$*" \
		>/run/systemd/system/fgreclaimd.service.d/record.conf
	systemctl daemon-reload
	mark
	systemctl restart fgreclaimd
}

# load SECONDS: all that there is to record.
load() {
	local end=$((SECONDS + $1))
	systemd-run -q --unit=cold "$IN/bin/hold" 96
	systemd-run -q --unit=loop -p MemoryMax=48M bash -c \
		'while :; do cat /root/loop-file >/dev/null; sleep 1; done'
	# shellcheck disable=SC2016
	systemd-run -q --unit=once bash -c \
		'for i in {1..1000}; do dd if=/dev/zero of=/root/once-$((i % 3)) bs=1M count=8; sleep 2; done'
	while ((SECONDS < end)); do
		systemd-run -q --wait -p Type=exec sleep 10
		sleep 10
	done
	systemctl stop cold loop once
}

# spent: CPU time of the agent so far, in microseconds.
spent() { sed -n 's/^usage_usec //p' "$CG/system.slice/fgreclaimd.service/cpu.stat"; }

dd if=/dev/urandom of=/root/loop-file bs=1M count=64 status=none
install_agent
configure 70-trace <<-'END'
	[Agent]
	Interval=3s
	[Class units]
	Match=/system.slice/cold.service
	Match=/system.slice/loop.service
	Match=/system.slice/once.service
	RefaultLimit=2.5%/min
	[Class rest]
	Match=/system.slice/**
	Reclaim=none
END

run_agent --record="$traces/act.jsonl"
load 240
systemctl stop fgreclaimd
cp "$traces/act.jsonl" .
progress "act: $(wc -lc <act.jsonl)"
fgreclaimctl replay act.jsonl | tee act.plans
grep -q 'all plans are those that were recorded' act.plans || fail "other plans"

run_agent --dry-run --record="$traces/dry.jsonl" --record-hash-names
load 150
systemctl stop fgreclaimd
cp "$traces/dry.jsonl" .
progress "dry: $(wc -lc <dry.jsonl)"
fgreclaimctl replay dry.jsonl | tee dry.plans
grep -q 'all plans are those that were recorded' dry.plans || fail "other plans of a dry run"
! grep -q 'cold.service' dry.jsonl || fail "a name in it"

# What it costs: the same minute of a host at rest without and with.
for options in '' "--record=$traces/cost.jsonl"; do
	run_agent "$options"
	sleep 30
	before=$(spent)
	sleep 120
	echo "CPU time in 120 s, options \"$options\": $(($(spent) - before)) us" | tee -a cost
done
echo "bytes a tick: $(tail -n +2 "$traces/cost.jsonl" | awk '{ n += length + 1 } END { print int(n / NR) }')" |
	tee -a cost
systemctl stop fgreclaimd

# A full disk: said once, and the agent goes on.
mount -t tmpfs -o size=40k tmpfs "$traces"
run_agent --record="$traces/full.jsonl"
wait_long 300 logged 'recording stops: .*No space left' || fail "not said: $(since)"
sleep 30
(($(logged_times 'recording stops') == 1)) || fail "said more than once"
is_unharmed
fgreclaimctl replay "$traces/full.jsonl" || fail "what was written before is no trace"
systemctl stop fgreclaimd
umount "$traces"
