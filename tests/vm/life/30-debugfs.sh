#!/bin/bash
# SPDX-License-Identifier: MIT
#
# debugfs is unmounted while the agent runs, and mounted again: it goes on, on the lower step or, where
# its own mount namespace still has debugfs, on the same one.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"

# Without the unit's namespace the agent sees what the host does.
systemctl stop fgreclaimd
systemd-run -q --unit=bare --service-type=notify fgreclaimd
bare() { journalctl -q --no-pager -o cat -u bare | grep -cE -- "$1" || true; }
says() { [[ $(bare "$1") == "$2" ]]; }
for round in 1 2; do
	umount --lazy /sys/kernel/debug
	wait_for 20 says '^lru_gen is missing' "$round" || fail "round $round: $(journalctl -u bare)"
	mount -t debugfs none /sys/kernel/debug
	wait_for 20 says '^lru_gen is there now' "$round" || fail "round $round: $(journalctl -u bare)"
done
systemctl is-active --quiet bare || fail "the agent is gone"
systemctl stop bare

mark
systemctl start fgreclaimd
umount --lazy /sys/kernel/debug
sleep 10
mount -t debugfs none /sys/kernel/debug
sleep 10
is_unharmed
if warnings | grep .; then
	fail "debugfs that goes is worth a warning to it"
fi
wait_for 20 status_is '^tiers' || fail "status: $(status_text)"
