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

configure 70-large <<<$'[Agent]\nInterval=5s\nWriteMax=64M\nWriteDeadline=10s'
mark
systemctl restart fgreclaimd
hold large 200
wait_long 400 logged '^/system.slice/large.service: evicted' || fail "nothing is: $(since)"
for round in 1 2 3; do
	wait_in_kernel lru_gen_seq_write
	begun=${EPOCHREALTIME/./}
	systemctl stop fgreclaimd
	took=$((${EPOCHREALTIME/./} - begun))
	progress "round $round: stopped within $((took / 1000)) ms"
	echo "round $round: $took us"
	((took < 1000000)) || fail "the stop took $took us"
	[[ $(systemctl show -P Result fgreclaimd) == success ]] || fail "it failed"
	systemctl start fgreclaimd
done
systemctl stop large
rm "$dropins/70-large.conf"
systemctl restart fgreclaimd
