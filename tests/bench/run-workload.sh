#!/bin/bash
# SPDX-License-Identifier: MIT
#
# One run of one workload of the bench, inside the guest. What to do comes in $IN/run.env (written by
# `run`), which names a file of workloads/ and one of agents/; README.md says what those are made of.
# Results go to $OUT, where compare.py reads them:
#
#   samples.csv    once a second, see meter.c; the second phase is the measured time
#   result         key=value: what the workload says of the measured time
#   begin/ end/    what the kernel said of the cgroup before and after
#   agent.log      what the agent said, if it says anything

# shellcheck source-path=SCRIPTDIR source=../vm/guest-lib.sh
source "$LIB"
BENCH=/run/bench # in memory that is charged to no cgroup of the bench
# shellcheck disable=SC2034 # for workloads
COUNTERS=$BENCH/counters
PATH=$BENCH/bin:$PATH
AGENT_CGROUP=
# shellcheck source=/dev/null
source "$IN/run.env" # WORKLOAD, AGENT, KERNEL, SEED
# shellcheck source=/dev/null
source "$IN/workloads/$WORKLOAD"
# shellcheck source=/dev/null
source "$IN/agents/$AGENT"

readonly cgroup=$CG/bench.slice/load.service zram_mib=256
# An agent leaves a cgroup alone that is young; a real one has long been there when load comes.
readonly age_s=60

look() { # begin|end
	mkdir -p "$BENCH/out/$1"
	cat "$cgroup/memory.stat" >"$BENCH/out/$1/memory.stat"
	cat /sys/kernel/debug/lru_gen_full >"$BENCH/out/$1/lru_gen_full"
	cat /proc/vmstat >"$BENCH/out/$1/vmstat"
}

# In the cgroup.
inside() {
	local meter
	wait_for 3600 test -s "$BENCH/meter.pid" || fail "no meter"
	meter=$(<"$BENCH/meter.pid")
	sleep "$age_s"
	progress "warming up"
	warm
	look begin
	progress "measuring"
	kill -USR1 "$meter"
	measured
	kill -TERM "$meter"
	while [[ -d /proc/$meter ]]; do sleep 0.1; done
	look end
	result >"$BENCH/out/result"
}

start_meter() {
	local arguments=(--counters "$COUNTERS" --follow)
	[[ ! $AGENT_CGROUP ]] || arguments+=(--agent "$CG$AGENT_CGROUP")
	"$BENCH/bin/meter" "${arguments[@]}" "load=$cgroup" >"$BENCH/out/samples.csv" &
	echo $! >"$BENCH/meter.pid"
}

outside() {
	local load
	mkdir -p "$BENCH/out"
	cp -r "$IN/bin" "$BENCH/bin"
	setup_zram "${zram_mib}M"
	[[ $KERNEL != classic ]] || echo n >/sys/kernel/mm/lru_gen/enabled
	progress "preparing"
	prepare
	agent_start
	systemd-run --quiet --wait --collect --unit=load --slice=bench.slice --service-type=exec \
		--property=MemoryMax="${LIMIT_MIB}M" --property=StandardOutput="append:$OUT/load.log" \
		--property=StandardError=inherit --setenv=LIB="$LIB" --setenv=IN="$IN" --setenv=OUT="$OUT" \
		--setenv=HOME=/root --setenv=PATH="$PATH" bash "$0" inside &
	load=$!
	wait_for 3600 test -d "$cgroup" || fail "the workload did not start"
	start_meter
	wait "$load" || fail "the workload failed, see load.log"
	agent_stop
	cp -r "$BENCH/out/." "$OUT/"
}

"${1:-outside}"
