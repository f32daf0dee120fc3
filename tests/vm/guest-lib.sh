# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For test scripts in the guest: `source "$LIB"` first. A script passes by
# reaching its end; a command that fails ends it, and names itself as the reason.
#
#   IN   what `run --in` was given (read-only; IN/bin is in PATH)
#   OUT  the script's own directory, and where it starts; brought back to the host

set -Eeuo pipefail
trap 'echo "line $LINENO: $BASH_COMMAND" >"$OUT/reason"' ERR

CG=/sys/fs/cgroup

# Ends the script. Not from a subshell: there they would end only that.
skip() { echo "$*" | tee "$OUT/reason"; exit 77; }
fail() { echo "$*" | tee "$OUT/reason"; exit 1; }

# A line that `run --progress` shows at once.
progress() { echo "PROGRESS: $*" >/dev/hvc0; }

# allow_oom CGROUP: an OOM kill by that cgroup's own limit is part of the test.
allow_oom() { echo "$1" >>"$OUT/allow-oom"; }

# wait_for SECONDS COMMAND...: until it succeeds, or false when it never did.
wait_for() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < deadline)) || return 1
		sleep 0.2
	done
}

# cg_read CGROUP FILE, stat_of CGROUP KEY (of memory.stat); CGROUP as in
# /proc/PID/cgroup, with a leading slash.
cg_read() { cat "$CG$1/$2"; }
stat_of() { awk -v key="$2" '$1 == key { print $2; found = 1 } END { exit !found }' "$CG$1/memory.stat"; }

# disk SERIAL: the device of that disk. `run --disk` makes disk0, disk1, ...
disk() {
	local sys
	for sys in /sys/block/vd*; do
		if [[ $(<"$sys/serial") == "$1" ]]; then
			echo "/dev/${sys##*/}"
			return
		fi
	done
	echo "no disk with the serial number '$1'" >&2
	return 1
}

# A kernel may have it built in: what counts is that it works afterwards.
load_module() { modprobe -q "$@" || true; }

# setup_zram SIZE: the only swap device, lz4.
setup_zram() {
	load_module zram
	echo lz4 >/sys/block/zram0/comp_algorithm
	echo "$1" >/sys/block/zram0/disksize
	mkswap -q /dev/zram0
	swapon --discard /dev/zram0
}

# null_disk NAME MIB LATENCY_US [KEY=VALUE]...: an empty disk on which every request takes that long, by a
# timer in the guest, 0: none at all; prints its device. It lives in the guest's memory (not charged to any
# cgroup), so give `run` as much --mem on top as will be written; with memory_backed=0 what is read from it
# is arbitrary. KEYs are those of null_blk's configfs. A file system on it needs blocks of 4 KiB
# (mke2fs -b 4096).
null_disk() {
	local dir=/sys/kernel/config/nullb/$1 setting irqmode=2
	(($3)) || irqmode=0
	load_module configfs
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	load_module null_blk nr_devices=0
	mkdir "$dir"
	# Blocks of 512 bytes would be slow to copy; irqmode 2 completes by hrtimer.
	for setting in "size=$2" blocksize=4096 memory_backed=1 "irqmode=$irqmode" \
		"completion_nsec=${3}000" "${@:4}" power=1; do
		echo "${setting#*=}" >"$dir/${setting%%=*}"
	done
	wait_for 5 test -b "/dev/$1" || fail "no disk /dev/$1"
	echo "/dev/$1"
}

# slow_copy DEVICE LATENCY_US: such a disk with DEVICE's content.
slow_copy() {
	local mib device
	mib=$((($(blockdev --getsize64 "$1") + 1048575) / 1048576))
	device=$(null_disk "slow-${1##*/}" "$mib" "$2")
	dd if="$1" of="$device" bs=8M iflag=direct oflag=direct conv=sparse,nocreat status=none
	echo "$device"
}

# slow_disk DEVICE MOUNTPOINT [LATENCY_US]: slow_copy, mounted. About 6 s per GiB.
slow_disk() {
	local device
	device=$(slow_copy "$1" "${3:-1000}")
	mkdir -p "$2"
	mount -o noatime "$device" "$2"
}

# install_root: what `make install DESTDIR=` left in IN/root, laid over the guest's own, whose
# directories keep their modes and may be symlinks (/lib).
install_root() {
	(cd "$IN/root" && tar -c --owner=0 --group=0 -- *) |
		tar -C / -x --keep-directory-symlink --no-overwrite-dir
	# The bus has seen new files and looked while tar kept everybody else out of its directories.
	systemctl try-reload-or-restart dbus
	systemctl daemon-reload
}

# end_agent: the agent, which has to have run through; its log goes to $OUT/agent.log.
end_agent() {
	systemctl is-active --quiet fgreclaimd || fail "the agent is not running"
	[[ $(systemctl show -P NRestarts fgreclaimd) == 0 ]] || fail "the agent was restarted"
	systemctl stop fgreclaimd
	journalctl --no-pager -o short-monotonic -u fgreclaimd >"$OUT/agent.log"
}
