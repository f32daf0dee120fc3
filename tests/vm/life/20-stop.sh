#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A stop with a write in flight takes a second at most. The guest's clock counts instructions, so this
# is no matter of the host's load.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=life-lib.sh
source "$IN/life-lib.sh"

# A worker of io_uring, or of the pool that stands in for it, is at it.
in_flight() {
	local stat text
	for stat in "/proc/$1"/task/[0-9]*/stat; do
		[[ $stat != */task/$1/stat ]] || continue
		read -r text <"$stat" || continue
		[[ $text == *') '[RD]' '* ]] && return
	done 2>/dev/null
	return 1
}

configure 70-large <<<$'[Agent]\nInterval=5s\nWriteMax=64M\nWriteDeadline=10s'
hold large 200
for round in 1 2 3; do
	systemctl restart fgreclaimd
	pid=$(main_pid)
	tries=0
	until in_flight "$pid"; do
		((++tries < 20000)) || fail "no write is under way"
		sleep 0.02
	done
	begun=${EPOCHREALTIME/./}
	systemctl stop fgreclaimd
	took=$((${EPOCHREALTIME/./} - begun))
	progress "round $round: stopped within $((took / 1000)) ms"
	echo "round $round: $took us"
	((took < 1000000)) || fail "the stop took $took us"
	[[ $(systemctl show -P Result fgreclaimd) == success ]] || fail "it failed"
done
systemctl stop large
rm "$dropins/70-large.conf"
systemctl start fgreclaimd
