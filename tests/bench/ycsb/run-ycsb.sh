#!/bin/bash
# SPDX-License-Identifier: MIT
#
# One run of the YCSB bench, inside the guest: mongod.service under the limit of its slice, alone or
# beside a backup. What to do comes in $IN/ycsb.env (written by `ycsb`); results go to $OUT, where
# `ycsb` reads them:
#
#   ycsb.json     what the driver says of the measured time
#   samples.csv   once a second, see meter.c
#   end/          what the kernel said at the end: CGROUP/memory.events and so on
#   agent.log, list.txt   what the agent said, and how it saw all cgroups at the end

# shellcheck source-path=SCRIPTDIR source=../../vm/guest-lib.sh
source "$LIB"
# shellcheck source=/dev/null
source "$IN/ycsb.env" # CONDITION and the sizes and times below

readonly slice=db.slice counters=/run/ycsb/counters data=/run/ycsb/data

prepare() {
	mkdir -p "$data"
	null_disk database "$DISK_MIB" "$LATENCY_US" >/dev/null
	null_disk backup 1048576 "$LATENCY_US" memory_backed=0 >/dev/null
	mke2fs -q -t ext4 -b 4096 -O ^has_journal -m 0 /dev/database
	mount -o noatime /dev/database "$data"
	cp -r "$IN/db" "$data/db"
	umount "$data" # with it goes what is cached of the files
	mount -o noatime /dev/database "$data"
	echo 3 >/proc/sys/vm/drop_caches
	write_units
	if [[ $CONDITION == agent ]]; then
		install_root
		systemctl start fgreclaimd
	fi
}

write_units() {
	local units=/run/systemd/system
	cat >"$units/$slice" <<-END
		[Slice]
		MemoryMax=$SLICE_MAX
	END
	cat >"$units/mongod.service" <<-END
		[Service]
		Type=notify
		Slice=$slice
		TimeoutStartSec=300
		ExecStart=$IN/bin/driver --counters $counters --result $OUT/ycsb.json $DRIVER $data/db
	END
	# What a careful administrator gives a backup: it does not get in the way of the processor.
	cat >"$units/backup.service" <<-END
		[Service]
		Type=notify
		Slice=$slice
		CPUSchedulingPolicy=idle
		ExecStart=$IN/bin/reader --counters $counters $BACKUP
	END
	systemctl daemon-reload
}

measure() {
	local arguments=(--counters "$counters" --progress /dev/hvc0
		--go "$(systemctl show -P MainPID mongod)" --warm "0,$WARM,$WARM" --measure "0,$MEASURE,$MEASURE")
	[[ $CONDITION != agent ]] || arguments+=(--agent "$CG/system.slice/fgreclaimd.service")
	"$IN/bin/meter" "${arguments[@]}" "slice=$CG/$slice" "mongod=$CG/$slice/mongod.service" \
		"backup=$CG/$slice/backup.service" >"$OUT/samples.csv"
}

# What samples.csv does not have.
look() {
	local unit file
	for unit in . mongod.service backup.service; do
		[[ -d $CG/$slice/$unit ]] || continue
		mkdir -p "$OUT/end/$unit"
		for file in memory.{current,low,stat,events} io.pressure; do
			cat "$CG/$slice/$unit/$file" >"$OUT/end/$unit/$file"
		done
	done
	[[ $CONDITION != agent ]] || fgreclaimctl list >"$OUT/list.txt"
}

finish() {
	[[ $(systemctl show -P NRestarts mongod) == 0 ]] || fail "mongod was restarted"
	systemctl stop mongod
	systemctl stop "$slice"
	[[ $CONDITION != agent ]] || end_agent
}

prepare
systemctl start mongod
[[ $CONDITION == alone ]] || systemctl start backup
measure
look
finish
