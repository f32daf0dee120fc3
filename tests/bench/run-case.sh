#!/bin/bash
# SPDX-License-Identifier: MIT
#
# One run of one test of the policy bench, inside the guest. What to do comes in $IN/case.env and
# $IN/programs (written by `policy`); results go to $OUT, where measure.py reads them:
#
#   samples.csv   once a second, see meter.c
#   agent.log     what the agent said, its totals at the end included

# shellcheck source-path=SCRIPTDIR source=../vm/guest-lib.sh
source "$LIB"
# shellcheck source=/dev/null
source "$IN/case.env" # CONDITION and the sizes and times below

readonly slice=bench.slice counters=/run/bench/counters
others=() go=

say() { progress "$*"; }

prepare() {
	local disk
	mkdir -p "${counters%/*}"
	setup_zram "${ZRAM_MIB}M"
	# Nothing is behind them: nothing needs to be filled, and the host has no part in it.
	for disk in $DISKS; do
		null_disk "${disk%:*}" "${disk#*:}" "$LATENCY_US" memory_backed=0 >/dev/null
	done
	cat >"/run/systemd/system/$slice" <<-END
		[Slice]
		MemoryMax=$SLICE_MAX
	END
	systemctl daemon-reload
	[[ $CONDITION != off ]] || echo n >/sys/kernel/mm/lru_gen/enabled
	if [[ $CONDITION == fgreclaimd ]]; then
		install_root
		systemctl start fgreclaimd
	fi
}

# start_program UNIT PROGRAM ARGUMENT...: the first one of a unit when it is warm; further ones join
# its cgroup.
start_program() {
	local unit=$1
	shift
	if ! systemctl is-active --quiet "$unit"; then
		systemd-run --quiet --unit="$unit" --slice="$slice" --service-type=notify \
			--property=TimeoutStartSec=300 --property=MemoryMax="$UNIT_MAX" "$IN/bin/$1" "${@:2}"
		go=$(systemctl show -P MainPID "$unit")
	else
		(
			echo "$BASHPID" >"$CG/$slice/$unit.service/cgroup.procs"
			exec "$IN/bin/$1" "${@:2}"
		) &
		go=$!
		others+=("$go")
	fi
}

start_programs() {
	local line unit
	systemctl start "$slice"
	for unit in $EMPTY_UNITS; do
		systemd-run --quiet --unit="$unit" --slice="$slice" sleep infinity
	done
	while read -ra line <&3; do
		say "starting ${line[*]:1}"
		start_program "${line[@]}"
	done 3<"$IN/programs"
}

measure() {
	local arguments=(--counters "$counters" --progress /dev/hvc0 --go "$go"
		--warm "$WARM" --measure "$MEASURE")
	[[ $FULL == 0 ]] || arguments+=(--full)
	[[ $CONDITION != fgreclaimd ]] || arguments+=(--agent "$CG/system.slice/fgreclaimd.service")
	read -ra cgroups <<<"$METERED"
	"$IN/bin/meter" "${arguments[@]}" "${cgroups[@]}" >"$OUT/samples.csv"
}

finish() {
	((${#others[@]} == 0)) || kill "${others[@]}"
	wait
	systemctl stop "$slice"
	[[ $CONDITION != fgreclaimd ]] || end_agent
}

prepare
start_programs
measure
finish
