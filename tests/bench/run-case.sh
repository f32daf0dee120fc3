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

# blank_disk NAME SIZE_MIB LATENCY_US: a disk without memory behind it, whose every request takes
# that long, by a timer in the guest; 0: it is done at once. What is read from it is arbitrary, so
# nothing needs to be filled, and the host has no part in it.
blank_disk() {
	local dir=/sys/kernel/config/nullb/$1
	mkdir "$dir"
	echo "$2" >"$dir/size"
	echo 4096 >"$dir/blocksize"
	echo 0 >"$dir/memory_backed"
	if (($3)); then
		echo 2 >"$dir/irqmode"
		echo "${3}000" >"$dir/completion_nsec"
	else
		echo 0 >"$dir/irqmode"
	fi
	echo 1 >"$dir/power"
	wait_for 5 test -b "/dev/$1" || fail "no disk /dev/$1"
}

# The tree of `make install DESTDIR=`, laid over the guest's own, whose directories keep their modes
# and may be symlinks (/lib).
install_agent() {
	(cd "$IN/root" && tar -c --owner=0 --group=0 -- *) |
		tar -C / -x --keep-directory-symlink --no-overwrite-dir
	systemctl daemon-reload
}

prepare() {
	local disk
	mkdir -p "${counters%/*}"
	setup_zram "${ZRAM_MIB}M"
	load_module configfs
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	load_module null_blk nr_devices=0
	for disk in $DISKS; do
		blank_disk "${disk%:*}" "${disk#*:}" "$LATENCY_US"
	done
	cat >"/run/systemd/system/$slice" <<-END
		[Slice]
		MemoryMax=$SLICE_MAX
	END
	systemctl daemon-reload
	[[ $CONDITION != off ]] || echo n >/sys/kernel/mm/lru_gen/enabled
	if [[ $CONDITION == fgreclaimd ]]; then
		install_agent
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
	if [[ $CONDITION == fgreclaimd ]]; then
		systemctl is-active --quiet fgreclaimd || fail "the agent is not running"
		[[ $(systemctl show -P NRestarts fgreclaimd) == 0 ]] || fail "the agent was restarted"
		systemctl stop fgreclaimd
		journalctl --no-pager -o short-monotonic -u fgreclaimd >"$OUT/agent.log"
	fi
}

prepare
start_programs
measure
finish
