#!/bin/bash
# SPDX-License-Identifier: MIT
#
# References to what the LRU does not have, or has no cgroup for: processes that are killed with their
# accessed bits set, whose page tables go while others read the same pages; rings that the kernel shares,
# zero pages, hugetlb's and locked ones (oddpages.c), in a cgroup and in the root; pages whose cgroup is
# gone. All of it while generations are made and evicted, and MGLRU is switched off and on.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source-path=SCRIPTDIR source=kernel-lib.sh
source "$IN/kernel-lib.sh"

slice=/odd.slice
file=/var/tmp/odd

# in_cgroup CGROUP COMMAND...
in_cgroup() {
	(
		echo "$BASHPID" >"$CG$1/cgroup.procs"
		exec "${@:2}"
	)
}

kill_users_in() { # CGROUP
	local i pid
	in_cgroup "$1" "$IN/bin/oddpages" --kills 24 "$file" >mapped &
	pid=$!
	for ((i = 0;; i++)); do
		sleep 3
		kill -0 "$pid" 2>/dev/null || break
		drive "$slice"
		drive /
		((i % 3)) || { echo n >"$lru_gen_enabled" && sleep 1 && echo y >"$lru_gen_enabled"; }
	done
	wait "$pid"
	cat mapped
	if grep -q '^mapped 0 ' mapped; then fail "not all kinds of pages were there"; fi
}

dying() { awk '$1 == "nr_dying_descendants" { print $2 }' "$CG$slice/cgroup.stat"; }

# Pages of tmpfs and of the file that stay when their cgroup goes.
leave_pages_behind() {
	mkdir "$CG$slice/gone"
	echo 3 >/proc/sys/vm/drop_caches
	in_cgroup "$slice/gone" sh -c "head -c 24M /dev/urandom >/dev/shm/odd; cat '$file' >/dev/null"
	sleep 1
	rmdir "$CG$slice/gone"
	(($(dying) > 0)) || fail "the cgroup that is gone has left nothing"
}

use_what_was_left() {
	local i
	for ((i = 0; i < 6; i++)); do
		in_cgroup "$slice/one" cat "$file" /dev/shm/odd >/dev/null
		in_cgroup "$slice/one" "$IN/bin/oddpages" --kills 4 /dev/shm/odd >/dev/null
		drive "$slice"
		case $i in
		1 | 4) echo 48M >"$CG$slice/memory.reclaim" 2>/dev/null || true ;;
		2) echo n >"$lru_gen_enabled" && echo y >"$lru_gen_enabled" ;;
		3) echo 1 >/proc/sys/vm/compact_memory ;;
		esac
	done
}

# shellcheck disable=SC2317 # the trap reaches it
cleanup() {
	echo 0 >/proc/sys/vm/nr_hugepages
	swapoff /dev/zram0 && echo 1 >/sys/block/zram0/reset
}
trap cleanup EXIT
setup_zram 256M
head -c 16M /dev/urandom >"$file"
echo 8 >/proc/sys/vm/nr_hugepages
mkdir "$CG$slice"
echo +memory >"$CG$slice/cgroup.subtree_control"
mkdir "$CG$slice/one"
echo 48M >"$CG$slice/one/memory.max"
allow_oom "$slice/one"

progress "killed in a cgroup"
kill_users_in "$slice/one"
progress "killed in the root"
kill_users_in /
progress "cgroups that are gone"
leave_pages_behind
use_what_was_left
wait_for 30 sums_of_cgroup "$slice/one" || fail "the kernel's sums differ"
rm /dev/shm/odd "$file"
echo 3 >/proc/sys/vm/drop_caches
echo "dying: $(dying)"
wait_for 30 sums_of_system || fail "the kernel's sums differ"
tell_vmstat
rmdir "$CG$slice/one"
