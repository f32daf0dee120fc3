#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the host offers comes and goes while the agent runs, or is missing when it starts: each step
# down is said once, and is no failure.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

# once: what a start on this host says, after its table.
once() {
	fgreclaimd --once --dry-run >once.log 2>&1 || fail "--once exits $?: $(<once.log)"
}

says_once() { (($(grep -cE -- "$1" once.log) == 1)) || fail "not once \"$1\": $(<once.log)"; }

mark
echo 0 >/sys/kernel/mm/lru_gen/enabled
wait_for 20 logged '^mglru is missing' || fail "$(since)"
logged '^capability: reclaim, was tiers' || fail "$(since)"
echo 7 >/sys/kernel/mm/lru_gen/enabled
wait_for 20 logged '^capability: tiers, was reclaim' || fail "$(since)"

swapoff /dev/zram0
wait_for 20 logged '^swap is missing' || fail "$(since)"
swapon /dev/zram0
wait_for 20 logged '^swap is there now' || fail "$(since)"
is_unharmed

systemctl stop fgreclaimd
umount /sys/kernel/debug
once
says_once '^fgreclaimd: lru_gen is missing'
says_once '^capability: reclaim \(dry run\)'
systemctl start sys-kernel-debug.mount

sysctl -q kernel.io_uring_disabled=2
once
says_once '^fgreclaimd: io_uring is missing'
says_once '^capability: tiers \(dry run\)'
sysctl -q kernel.io_uring_disabled=0

mount --bind -o ro "$CG" "$CG"
mount -o remount,ro,bind "$CG"
once
says_once '^fgreclaimd: memory.reclaim is missing.*Read-only'
says_once '^capability: observe \(dry run\)'
umount "$CG"

once
says_once '^capability: tiers \(dry run\)'
systemctl start fgreclaimd
