#!/bin/bash
# SPDX-License-Identifier: MIT
#
# users.md 14, 56: the host sleeps while the agent reclaims. logind is the real one; the sleep itself is
# a service that looks on, since a guest that sleeps cannot. Then logind is started anew. (Not the bus,
# on which the harness waits for this script: that is for test-bus.c.)
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=life-lib.sh
source "$IN/life-lib.sh"

has_lock() { systemd-inhibit --list --no-legend --no-pager | grep -q '^fgreclaimd .*sleep.*delay'; }
goes_on() { (($(stolen cold) > $1)); }

mkdir -p "$state"
# logind sleeps only where the kernel can.
if ! grep -qE 'mem|freeze' /sys/power/state; then
	echo 'freeze mem disk' >"$state/power"
	mount --bind "$state/power" /sys/power/state
fi
mkdir -p /run/systemd/system/systemd-suspend.service.d
cat >"$state/asleep" <<-END
	#!/bin/bash
	pgsteal() { sed -n 's/^pgsteal //p' $CG/system.slice/cold.service/memory.stat; }
	pgsteal >$PWD/asleep.before
	systemd-inhibit --list --no-legend --no-pager >$PWD/asleep.locks
	sleep 10
	pgsteal >$PWD/asleep.after
END
printf '[Service]\nExecStart=\nExecStart=/bin/bash %s\n' "$state/asleep" \
	>/run/systemd/system/systemd-suspend.service.d/look-on.conf
rm -f /etc/systemd/system/systemd-logind.service
systemctl daemon-reload
systemctl start systemd-logind

# No bus is needed to start, and it is found when it comes.
install_agent
wait_for 90 has_lock || fail "no delay lock: $(systemd-inhibit --list --no-pager)"

progress "the lock is held"
mark
hold cold 64
wait_for 300 swapped_more_than cold $((8 << 20)) || fail "nothing is evicted: $(since)"
systemctl suspend
wait_for 60 test -s asleep.after || fail "the host does not sleep: $(journalctl -b -u systemd-logind)"
wait_for 60 logged '^the host is awake' || fail "it sleeps on: $(since)"
logged '^the host is about to sleep' || fail "nothing was said of the sleep: $(since)"
awake=$(stolen cold)
echo "pages stolen: $(<asleep.before) and $(<asleep.after) in the sleep, $awake after it"
if grep -q fgreclaimd asleep.locks; then
	fail "the host was not let sleep: $(<asleep.locks)"
fi
(($(<asleep.before) == $(<asleep.after))) || fail "something was under way in the sleep"

progress "slept and awake"
# A minute in which nothing is taken, and then as before: no burst.
sleep 30
(($(stolen cold) == $(<asleep.after))) || fail "$(stolen cold) pages stolen right after the sleep"
wait_for 300 goes_on "$awake" || fail "it does not go on: $(since)"
wait_for 10 has_lock || fail "the delay lock was not taken again"

mark
pid=$(main_pid)
systemctl restart systemd-logind
wait_for 120 has_lock || fail "logind is back, and no delay lock: $(systemd-inhibit --list --no-pager)"
[[ $(main_pid) == "$pid" ]] || fail "the agent was restarted"
is_unharmed
if warnings | grep .; then
	fail "a logind that goes is worth a warning to it"
fi
systemctl stop cold
