#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A daemon that starts and works on a busy host is left alone by the watchdog; one that hangs is not.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

dropin=/run/systemd/system/fgreclaimd.service.d

restarts() { systemctl show -P NRestarts fgreclaimd; }
is_restarted() { (($(restarts) > 0)) && systemctl is-active --quiet fgreclaimd; }

watchdog=$(systemctl show -P WatchdogUSec fgreclaimd)
[[ $watchdog =~ ^([0-9]+)s$ && ${BASH_REMATCH[1]} -le 30 ]] || fail "WatchdogUSec is $watchdog"
patience=${BASH_REMATCH[1]}

# As shipped: two busy loops, each with five times its weight, and a timer that fires all along. For
# longer than the watchdog is patient.
for n in 1 2; do
	systemd-run -q --unit="burner$n" bash -c 'while :; do :; done'
done
systemd-run -q --unit=clock --on-active=0 --on-unit-active=1s --timer-property=AccuracySec=10ms \
	busctl --no-pager list
mark
systemctl restart fgreclaimd || { since; fail "the unit does not start under load"; }
pid=$(main_pid)
wait_for 60 status_is '^tiers: .* freed' || fail "status: $(status_text)"
sleep $((patience + 10))
systemctl stop burner1 burner2 clock.timer
[[ $(main_pid) == "$pid" && $(restarts) == 0 ]] || fail "the watchdog bit: $(since)"

# It hangs. With less patience, only to be sooner done.
mkdir -p "$dropin"
printf '[Service]\nWatchdogSec=5s\n' >"$dropin/watchdog.conf"
systemctl daemon-reload
systemctl restart fgreclaimd
wait_for 15 status_is '^tiers: .* freed' || fail "status: $(status_text)"
pid=$(main_pid)
mark
kill -STOP "$pid"
wait_for 60 is_restarted || fail "it hangs, and nobody minds: $(systemctl status fgreclaimd)"
[[ $(main_pid) != "$pid" ]] || fail "the same process is back"
logged '^fgreclaimd.service: Watchdog timeout' || fail "not the watchdog: $(since)"

rm -r "$dropin"
systemctl daemon-reload
systemctl restart fgreclaimd
wait_for 15 status_is '^tiers: .* freed' || fail "status: $(status_text)"
is_unharmed
