#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The kernel under stress, for $IN/minutes of its own time: memory of all kinds in cgroups that come
# and go, with limits and swap, while MGLRU is switched off and on, generations are made and evicted,
# memory is compacted, merged and sorted by DAMON, and pages migrate. Then what the kernel counts is added
# up: what the generations hold is what the sizes of the LRU lists say, of each cgroup and in all. The
# harness looks at dmesg.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source-path=SCRIPTDIR source=kernel-lib.sh
source "$IN/kernel-lib.sh"

minutes=$(<"$IN/minutes")
slice=/stress.slice
file=/var/tmp/stress
seed=0

group() { # NAME LIMIT
	mkdir -p "$CG$slice/$1"
	echo "$2" >"$CG$slice/$1/memory.max"
	for _ in 1 2; do
		seed=$((seed + 1))
		(
			echo "$BASHPID" >"$CG$slice/$1/cgroup.procs"
			exec "$IN/bin/mmstress" --seed "$seed" --seconds 15 --mib 6 "$file"
		) &
	done
}

disturb() { # ROUND
	local cg
	case $(($1 % 7)) in
	0) echo n >"$lru_gen_enabled" && sleep 2 && echo y >"$lru_gen_enabled" ;;
	1) echo 1 >/proc/sys/vm/compact_memory ;;
	2) for cg in "$CG$slice"/*/; do echo 8M >"$cg/memory.reclaim" || true; done 2>/dev/null ;;
	3) echo 3 >/proc/sys/vm/drop_caches ;;
	4) swapoff /dev/zram0 && swapon /dev/zram0 ;;
	5) damon $(($1 / 7 % 2)) ;;
	*) drive "$slice" ;;
	esac
}

# DAMON_LRU_SORT marks pages as accessed and deactivates others.
damon() {
	local dir=/sys/module/damon_lru_sort/parameters
	if (($1)); then
		echo N >"$dir/enabled"
	else
		echo 100000 >"$dir/cold_min_age"
		echo Y >"$dir/enabled"
	fi
}

# A cgroup without its pages: none of its lists holds one any more.
lists_are_empty() { # CGROUP
	echo 100M >"$CG$1/memory.reclaim" 2>/dev/null || true
	[[ $(grep -cE '^(in)?active_(anon|file) 0$' "$CG$1/memory.stat") == 4 ]]
}

setup_zram 512M
head -c 96M /dev/urandom >"$file"
echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled
echo 1 >/sys/kernel/mm/ksm/run
mkdir "$CG$slice"
echo +memory >"$CG$slice/cgroup.subtree_control"
for name in one two three; do allow_oom "$slice/$name"; done
begin=$(now)
for ((round = 0; $(now) < begin + minutes * 60; round++)); do
	group one 60M
	group two 36M
	group "three" 20M
	sleep 3
	disturb "$round"
	sleep 3
	disturb "$((round + 3))"
	wait
	rmdir "$CG$slice/three"
	((round % 5)) || progress "round $round, $(($(now) - begin)) s"
done
damon 1
echo 2 >/sys/kernel/mm/ksm/run

# Somebody has to hold something when it is added up.
for name in one two; do
	(echo "$BASHPID" >"$CG$slice/$name/cgroup.procs" && cat "$file" >/dev/null)
done
echo 1 >/proc/sys/vm/compact_memory
for name in one two; do
	wait_for 30 sums_of_cgroup "$slice/$name" || fail "the kernel's sums differ"
done
wait_for 30 sums_of_system || fail "the kernel's sums differ"
rm "$file"
for name in one two; do
	wait_for 30 lists_are_empty "$slice/$name" || {
		cat "$CG$slice/$name/memory.stat"
		fail "$name has something left"
	}
	rmdir "$CG$slice/$name"
done
tell_vmstat
happened pgmigrate_success thp_fault_alloc thp_collapse_alloc thp_split_page pswpin pswpout \
	workingset_refault_anon workingset_refault_file workingset_activate_file
rmdir "$CG$slice"
