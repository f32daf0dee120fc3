#!/bin/bash
# SPDX-License-Identifier: MIT
#
# One run of the demo, inside the guest: three units under one limit, with the
# agent or without it. What to do comes in $IN/phase.env (written by `demo`);
# results go to $OUT, where report.py reads them:
#
#   begin/ end/     what the kernel said when the measured time began and ended:
#                   NAME/memory.stat and so on for the slice and each unit
#   samples.csv     once a second, see sampler.c
#   hot.txt stream.txt idle.txt   what the workloads say about themselves
#   agent.txt       CPU time and memory of the agent; agent.log: its journal

# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=/dev/null
source "$IN/phase.env" # PHASE and the sizes and times below

readonly cgroup=$CG/fgdemo.slice units=(hot stream idle)
readonly results=/run/fgdemo/out data=/run/fgdemo/data

# Directory of the cgroup of "slice" or of a unit.
cgroup_of() {
	if [[ $1 == slice ]]; then echo "$cgroup"; else echo "$cgroup/$1.service"; fi
}

say() { progress "$PHASE agent: $*"; }

mib() { echo $(($(<"$1/memory.current") >> 20)); }

status() {
	echo "slice $(mib "$cgroup") of $SLICE_MIB MiB:" \
		"hot $(mib "$cgroup/hot.service"), idle $(mib "$cgroup/idle.service")," \
		"stream $(mib "$cgroup/stream.service")"
}

# watch_for SECONDS TEXT: sleeps, with a line every ten seconds for whoever is watching.
watch_for() {
	local begin=$SECONDS left=$1
	while ((left > 0)); do
		sleep "$((left < 10 ? left : 10))"
		left=$((begin + $1 - SECONDS))
		say "$2, $((left > 0 ? $1 - left : $1)) of $1 s; $(status)"
	done
}

# start_unit NAME COMMAND...: returns when the unit says that it is warm.
start_unit() {
	local name=$1
	shift
	systemd-run --quiet --unit="$name" --slice=fgdemo.slice --service-type=notify \
		--property=TimeoutStartSec=120 --property=TimeoutStopSec=60 \
		"$IN/bin/$1" "${@:2}"
}

# copy FROM TO: without a process, since dozens of them take seconds in an emulated guest. A file
# that is not there is left out, and report.py shows '-'.
copy() {
	local content
	[[ -r $1 ]] || return 0
	IFS= read -r -d '' content <"$1" || true # true to the end of the file, where there is no NUL
	printf '%s' "$content" >"$2"
}

# snapshot NAME: the kernel's counters of this moment.
snapshot() {
	local name file
	for name in slice "${units[@]}"; do
		mkdir -p "$results/$1/$name"
		for file in memory.{current,max,stat,swap.current,events,pressure} io.pressure cpu.stat; do
			copy "$(cgroup_of "$name")/$file" "$results/$1/$name/$file"
		done
	done
	copy /proc/uptime "$results/$1/uptime"
	copy /proc/vmstat "$results/$1/vmstat"
	copy /sys/block/zram0/mm_stat "$results/$1/zram_mm_stat"
	[[ $PHASE == without ]] || snapshot_agent "$results/$1/agent.txt"
}

snapshot_agent() {
	systemctl is-active --quiet fgreclaimd || fail "the agent is not running"
	systemctl show fgreclaimd -p CPUUsageNSec -p MemoryCurrent -p NRestarts >"$1"
	grep -E '^(VmRSS|VmHWM):' "/proc/$(systemctl show fgreclaimd -P MainPID)/status" >>"$1"
}

install_agent() {
	install_root
	systemd-sysusers
}

prepare() {
	mkdir -p "$results" "$data"
	setup_zram "${ZRAM_MIB}M"
	slow_disk "$(disk disk0)" "$data" "$DISK_LATENCY_US"
	cat >/run/systemd/system/fgdemo.slice <<-END
		[Slice]
		MemoryMax=${SLICE_MIB}M
	END
	[[ $PHASE == without ]] || install_agent
	systemctl daemon-reload
}

start_sampler() {
	local arguments=() name
	for name in slice "${units[@]}"; do
		arguments+=("$name=$(cgroup_of "$name")")
	done
	"$IN/bin/sampler" --zram /sys/block/zram0 "${arguments[@]}" >"$results/samples.csv" &
	sampler=$!
}

run() {
	start_sampler
	if [[ $PHASE == with ]]; then
		say "starting fgreclaimd.service"
		systemctl start fgreclaimd
	fi
	say "filling idle ($IDLE_MIB MiB)"
	start_unit idle idle --size "$IDLE_MIB" --result "$results/idle.txt"
	say "warming up hot"
	start_unit hot hot --result "$results/hot.txt" "$data/hot.db"
	start_unit stream stream --seconds "$MEASURE_S" --result "$results/stream.txt" "$data/files"
	watch_for "$WARMUP_S" "warm-up"

	systemctl kill --signal=USR1 hot stream
	snapshot begin
	watch_for "$MEASURE_S" "measuring"
	snapshot end
}

# The workloads write their results when they are told to stop.
finish() {
	say "collecting results"
	systemctl stop hot stream idle
	kill "$sampler"
	wait "$sampler"
	if [[ $PHASE == with ]]; then
		journalctl --no-pager -o short-monotonic -u fgreclaimd >"$results/agent.log"
		systemctl stop fgreclaimd
	fi
	cp -r "$results/." "$OUT/"
}

prepare
run
finish
