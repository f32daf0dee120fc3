#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A little life for a recording: below a slice with a limit that is too small a service with idle
# anon memory, one that reads files, and a delegated one with cgroups of its own. They are stopped,
# but not ended, when it is recorded.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"

slice=/recorded.slice
lru_gen=/sys/kernel/debug/lru_gen
data=/var/tmp/data
units=('idle\x2dheap.service' 'reader@once.service' 'pod:1.service')

start() { # UNIT [--property=...]... COMMAND...
	local unit=$1
	shift
	systemd-run --quiet --unit="$unit" --slice=recorded.slice "$@"
}

# Of all below the slice, each with its own youngest generation, as the agent would.
age() {
	awk -v slice="$slice/" '
		$1 == "memcg" { id = index($3, slice) == 1 ? $2 : ""; next }
		$1 == "node" { node = $2; next }
		{ youngest[id " " node] = $1 }
		END { for (key in youngest) if (key !~ /^ /) print "+", key, youngest[key], 1 }' \
		"$lru_gen" | while read -r command; do
		echo "$command" >"$lru_gen"
	done
}

nested_is_full() {
	[[ -d $CG$slice/${units[2]}/box@2 ]] &&
		(($(cg_read "$slice/${units[2]}/box:1" memory.current) > 6 << 20))
}

reader_is_done() { [[ -e /run/reader-done ]]; }

echo y >/sys/kernel/mm/lru_gen/enabled
(($(</sys/kernel/mm/lru_gen/enabled) & 1)) || fail "no MGLRU"
setup_zram 128M
mkdir -p "$data"
for i in {1..3}; do
	head -c 4M /dev/urandom >"$data/hot$i"
done
for i in {1..24}; do
	head -c 4M /dev/urandom >"$data/cold$i"
done
sync
echo 3 >/proc/sys/vm/drop_caches # whoever reads is charged

mkdir -p /run/systemd/system
printf '[Slice]\nMemoryMax=72M\n' >/run/systemd/system/recorded.slice
systemctl daemon-reload
start "${units[0]}" --service-type=notify idle --size 40
start "${units[2]}" --property=Delegate=yes --property=MemoryLow=4M --setenv=CG="$CG" \
	"$IN/nested.sh" "$IN/bin/idle"
wait_for 30 nested_is_full || fail "nothing nested"
sleep 2
age
progress "reading 96 MiB through a limit of 72"
start "${units[1]}" "$IN/reader.sh" "$data"
for _ in {1..2}; do
	sleep 3
	age
done
# No aging any more: the oldest generation is to have counts of evictions, and an aging ends them.
wait_for 120 reader_is_done || fail "not all is read"

max=$(awk '$1 == "max" { print $2 }' "$CG$slice/memory.events")
((max > 0)) || fail "the limit was not reached"
(($(cg_read "$slice" memory.swap.current) > 0)) || fail "nothing in swap"
systemctl kill --signal=STOP "${units[@]}"
echo 1 >/proc/sys/vm/compact_memory # puts pages from the processors' batches on the lists
sleep 5 # the counters are brought up to date every 2 s

progress "recording"
sh "$IN/record" "$OUT/tree"
uname -r

# What the agent does not read, and nothing else does.
find "$OUT/tree/sys/fs/cgroup" -type f ! '(' -name memory.current -o -name memory.stat \
	-o -name memory.events -o -name memory.pressure -o -name io.pressure -o -name cgroup.events \
	-o -name memory.swap.current -o -name memory.swap.max -o -name memory.min -o -name memory.low \
	-o -name memory.high -o -name memory.max -o -name memory.reclaim -o -name cgroup.controllers ')' \
	-delete
find "$OUT/tree/sys/fs/cgroup" -mindepth 2 -name cgroup.controllers -delete
find "$OUT/tree" -type f -printf '%s\n' |
	awk '{ sum += $1 } END { print NR " files, " sum " bytes" }'
systemctl kill --signal=CONT "${units[@]}"
systemctl stop "${units[@]}" recorded.slice
