#!/bin/bash
# SPDX-License-Identifier: MIT
#
# users.md 53: swap that comes and goes while the agent runs: none, a disk that rotates, one that does
# not, within the day's budget, which a restart does not forget; and memory, added last.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=life-lib.sh
source "$IN/life-lib.sh"

mib=$((1 << 20))
budget=$((24 * mib))
swap=$(disk disk0)
counted=/var/lib/fgreclaim/swap-writes

rotates() { echo "$1" >"/sys/block/${swap#/dev/}/queue/rotational"; }
swapped() { cg_read /system.slice/held.service memory.swap.current; }
steady() { # for longer than between two writes
	local before
	before=$(swapped)
	sleep 60
	(($(swapped) == before))
}
none() {
	mark
	swapoff "$1"
	wait_for 20 logged '^swap is missing' || fail "$1 is gone, unnoticed: $(since)"
}

mkswap -q "$swap"
configure 70-disk <<-'END'
	[Swap]
	Anon=yes
	WriteBudget=24M/day
END
systemctl reload fgreclaimd

none /dev/zram0
rotates 1
swapon "$swap"
wait_for 20 logged '^swap is there now: .*\(rotational\)' || fail "$(since)"
hold held 96
sleep 300
(($(swapped) == 0)) || fail "$(swapped) bytes went to a disk that rotates"

progress "a disk that does not rotate"
none "$swap"
rotates 0
swapon "$swap"
begun=$SECONDS
wait_long 300 swapped_more_than held $((4 * mib)) || fail "nothing goes to a disk: $(since)"
began_after=$((SECONDS - begun))
wait_long 600 steady || fail "it does not come to an end"
first=$(swapped)
echo "to disk: $first bytes of a budget of $budget, the first after $began_after s"
# The kernel takes in batches, and swap.current counts what shared slots hold.
((first > budget - 4 * mib && first < budget + 4 * mib)) || fail "$first bytes of $budget"

progress "a restart"
systemctl restart fgreclaimd
sleep $((120 + 3 * began_after))
(($(swapped) < first + 2 * mib)) || fail "a restart forgot the budget: $(swapped) bytes"
cat "$counted"

progress "swap in memory, last"
none "$swap"
swapon --discard /dev/zram0
wait_for 20 logged '^swap is there now: .*zram' || fail "$(since)"
wait_long 400 swapped_more_than held $((40 * mib)) || fail "only $(swapped) bytes went to memory"
is_unharmed
systemctl stop held
rm "$dropins/70-disk.conf"
systemctl reload fgreclaimd
