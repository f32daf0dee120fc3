#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Who pays: under one limit a hot database, a stream of files read once and a service that uses a
# quarter of its anon; beside them the same service protected by memory.low, and one whose class says
# that nothing is to be taken. Judged by the kernel's counters and by the programs' own pagemap.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

slice=/fgtest.slice

start() { # NAME [--property=...]... COMMAND...
	local name=$1
	shift
	systemd-run --quiet --unit="$name" --slice=fgtest.slice --service-type=notify "$@"
}

cold_is_gone() {
	(($(cg_read "$slice/idle.service" memory.swap.current) > 70 << 20)) # of 72 MiB
}

configure 70-classes <<-'END'
	[Class spared]
	Match=/fgtest.slice/spared.service
	Reclaim=none
	[Class all]
	Match=/**
END
systemctl reload fgreclaimd
slow_disk "$(disk disk0)" /data 2000
cat >/run/systemd/system/fgtest.slice <<-END
	[Slice]
	MemoryMax=288M
END
systemctl daemon-reload

start idle "$IN/bin/idle" --size 96 --result "$state/idle.txt"
start guarded --property=MemoryLow=48M "$IN/bin/idle" --size 32 --result "$state/guarded.txt"
start spared "$IN/bin/idle" --size 32 --result "$state/spared.txt"
start hot "$IN/bin/hot" --result "$state/hot.txt" /data/hot.db
start stream "$IN/bin/stream" --seconds 60 --result "$state/stream.txt" /data/files

progress "streaming 170 MiB through a limit that leaves room for less, before anything is known"
before=$(stat_of "$slice/hot.service" workingset_refault_file)
max_before=$(awk '$1 == "max" { print $2 }' "$CG$slice/memory.events")
systemctl kill --signal=USR1 stream
progress "waiting until the cold memory of idle is in swap"
wait_for 240 cold_is_gone || fail "only $(cg_read "$slice/idle.service" memory.swap.current) bytes left"
refaults=$(($(stat_of "$slice/hot.service" workingset_refault_file) - before))
max=$(($(awk '$1 == "max" { print $2 }' "$CG$slice/memory.events") - max_before))
idle_refaults=$(stat_of "$slice/idle.service" workingset_refault_anon)
swapped_guarded=$(cg_read "$slice/guarded.service" memory.swap.current)
swapped_spared=$(cg_read "$slice/spared.service" memory.swap.current)
cp "$CG$slice"/stream.service/memory.stat stream.stat
stolen=$(stat_of "$slice/stream.service" pgsteal)
systemctl stop stream hot idle guarded spared

cp "$state"/*.txt .
cat ./*.txt
hot_pages=$(value idle.txt hot_pages)
cold_pages=$(value idle.txt cold_pages)
cold_present=$(value idle.txt cold_present)
echo "hot: $refaults file refaults; idle: $cold_present of $cold_pages cold pages left," \
	"$idle_refaults refaults for $hot_pages hot pages; stream: $stolen pages stolen; max: $max"

((cold_present * 100 <= cold_pages * 5)) || fail "cold anon of idle was not evicted"
((idle_refaults * 100 <= hot_pages)) || fail "hot anon of idle was evicted: $idle_refaults refaults"
((refaults <= 100)) || fail "hot lost pages: $refaults refaults"
((stolen > 10000)) || fail "the limit was never near: nothing was tested"
((max <= 5)) || fail "the limit was hit $max times"
((swapped_guarded == 0)) || fail "memory below memory.low was taken: $swapped_guarded bytes"
((swapped_spared == 0)) || fail "a class with Reclaim=none was taken from: $swapped_spared bytes"
is_unharmed
