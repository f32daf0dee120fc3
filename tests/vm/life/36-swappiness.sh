#!/bin/bash
# SPDX-License-Identifier: MIT
#
# users.md 68: what the agent writes to have file alone, or anon alone, does that on this kernel, by
# MGLRU and by the classic LRU. That it writes this and nothing else is for test-lru-gen.c and
# test-policy-random.c.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"

path=$CG/words
listing=/sys/kernel/debug/lru_gen
file=/var/tmp/words
mib=48
asked=4096 # pages: 16 MiB

stolen() { sed -n "s/^pgsteal_$1 //p" /proc/vmstat; }

# words TEXT TARGET: leaves in anon and cached how many pages of each were taken by that.
words() {
	local error
	anon=$(stolen anon) cached=$(stolen file)
	error=$({ echo "$1" >"$2"; } 2>&1) || true
	anon=$(($(stolen anon) - anon)) cached=$(($(stolen file) - cached))
	echo "$lru: \"$1\" takes $anon pages of anon, $cached of file${error:+, ${error##*: }}"
}

holds() { (($(stat_of /words "$1") >= mib << 20)); }

# A cgroup that holds anon that nobody looks at, ...
inhabit() {
	mkdir "$path"
	(echo "$BASHPID" >"$path/cgroup.procs" && exec "$IN/bin/hold" "$mib") &
	wait_for 30 holds anon
}

# ... and file that was read once.
read_file() {
	truncate -s "${mib}M" "$file"
	(echo "$BASHPID" >"$path/cgroup.procs" && exec cat "$file" >/dev/null)
	wait_for 30 holds file
}

leave() {
	kill %%
	wait || true
	rmdir "$path"
	rm "$file"
}

# What memory.reclaim is told.
reclaim() {
	local some
	words "$((asked * 4096)) swappiness=0" "$path/memory.reclaim"
	some=$cached
	((anon == 0)) || fail "$lru: file alone took $anon pages of anon"
	# More than there is, so that it has to try hard.
	words "$((2 * mib << 20)) swappiness=0" "$path/memory.reclaim"
	((anon == 0)) || fail "$lru: file alone, and too much, took $anon pages of anon"
	((some >= asked && some + cached > 2 * asked)) || fail "$lru: it took no file"
}

# Of the listing: the memcg's id, its youngest and its oldest generation, and the latter's anon.
listed() {
	awk '$1 == "memcg" { mine = $3 == "/words"; if (mine) id = $2 }
		mine && NF == 4 && $1 ~ /^[0-9]+$/ {
			max = $1
			if (oldest == "") { oldest = $1; pages = $3 }
		}
		END { print id, max, oldest, pages }' "$listing"
}

# What lru_gen is told, of a memcg whose oldest generation holds anon, as saver.c wants it. Where file
# alone has an older one, 200 takes that first: anon's oldest is then an empty one
# (try_to_inc_min_seq() in mm/vmscan.c).
evict() {
	local id max oldest pages
	for _ in {1..6}; do
		read -r id max oldest pages < <(listed)
		((pages <= asked)) || break
		echo "+ $id 0 $max 1 1" >"$listing"
	done
	read_file
	grep -A 5 ' /words' "$listing"
	((oldest + 3 <= max)) || fail "anon is in generation $oldest of $max"
	words "- $id 0 $((max - 2)) 0 $asked" "$listing"
	((anon == 0 && cached >= asked)) || fail "file alone: $anon pages of anon, $cached of file"
	words "- $id 0 $((max - 2)) 200 $asked" "$listing"
	((cached == 0 && anon >= asked)) || fail "anon alone: $anon pages of anon, $cached of file"
}

systemctl stop fgreclaimd
lru=mglru
inhabit
evict
leave
inhabit
read_file
reclaim
leave
echo 0 >/sys/kernel/mm/lru_gen/enabled
lru=classic
inhabit
read_file
reclaim
leave
echo 7 >/sys/kernel/mm/lru_gen/enabled
systemctl start fgreclaimd
