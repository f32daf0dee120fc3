# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scripts for the kernel have in common; after guest-lib.sh.

lru_gen=/sys/kernel/debug/lru_gen
# shellcheck disable=SC2034 # the scripts use it
lru_gen_enabled=/sys/kernel/mm/lru_gen/enabled

# now: seconds of the guest's time.
now() { cut -d. -f1 /proc/uptime; }

# drive PATH-PREFIX: of each lruvec of the memcgs below: a new generation, and eviction of the oldest.
drive() {
	awk -v prefix="$1" '
		$1 == "memcg" { id = $2 && index($3, prefix) == 1 ? $2 : ""; next }
		$1 == "node" { node = $2; next }
		id != "" { if (!((id, node) in first)) first[id, node] = $1; last[id, node] = $1 }
		END { for (key in last) { split(key, k, SUBSEP)
			print "+", k[1], k[2], last[key], 1
			print "-", k[1], k[2], first[key], 100, 500 } }' "$lru_gen" |
		while read -r command; do
			echo "$command" >"$lru_gen" || true # others age as well
		done 2>/dev/null
}

# generations_of PATH: pages of anon and of file in the generations of that memcg, or of all if it is empty.
generations_of() {
	awk -v path="$1" '
		$1 == "memcg" { mine = path == "" || $3 == path; next }
		mine && NF >= 4 && $1 != "node" { anon += $3; file += $4 }
		END { print anon + 0, file + 0 }' "$lru_gen"
}

# lists_of FILE PREFIX UNIT: the same by the sizes of the LRU lists there; `negative` if one is.
lists_of() {
	awk -v prefix="$2" -v unit="$3" '
		$1 ~ "^" prefix "(in)?active_(anon|file)$" {
			if ($2 < 0 || $2 > 2 ^ 62) negative = 1
			sum[$1 ~ /anon/] += $2
		}
		END { if (negative) print "negative"; else print sum[1] / unit, sum[0] / unit }' "$1"
}

# The two have to agree once the kernel has added up what it counts per processor; PAGES: what others may
# have taken or given up between the two.
sums_agree() { # NAME PATH FILE PREFIX UNIT PAGES
	local lists generations
	lists=$(lists_of "$3" "$4" "$5")
	generations=$(generations_of "$2")
	echo "$1: lists $lists, generations $generations"
	awk -v a="$lists" -v b="$generations" -v pages="$6" '
		BEGIN { split(a, x, " "); split(b, y, " ")
			if (x[1] == "negative") exit 1
			for (i = 1; i <= 2; i++) if ((x[i] - y[i]) ^ 2 > pages ^ 2) exit 1 }'
}

# sums_of_cgroup CGROUP, without processes
sums_of_cgroup() { sums_agree "$1" "$1" "$CG$1/memory.stat" '' 4096 0; }

# This very script is among those that take and give up.
sums_of_system() {
	echo 1 >/proc/sys/vm/stat_refresh || return 1 # a counter is negative
	sums_agree system '' /proc/vmstat nr_ 1 64
}

# happened COUNTER...: of /proc/vmstat, each of them counted something; else this was no such test.
happened() {
	local counter value
	for counter; do
		value=$(awk -v key="$counter" '$1 == key { print $2 }' /proc/vmstat)
		echo "$counter $value"
		((value > 0)) || fail "nothing of $counter happened"
	done
}

# Prints what /proc/vmstat has of the generations' doings.
tell_vmstat() {
	grep -E '^(workingset_|pgsteal_|pgscan_(k|d)|pgrotated|pgactivate|pgdeactivate|nr_(in)?active)' /proc/vmstat
}
