#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A pause, over the system bus and from within the unit's sandbox: MemoryLow= is put back at once, looks go
# on, and it is said. Who may ask for it is what our policy of the bus says.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

property() {
	busctl get-property org.fgreclaim1 /org/fgreclaim1 org.fgreclaim1.Manager "$1" |
		cut -d' ' -f2-
}
low() { cg_read /kept.service memory.low; }
is_protected() { (($(low) > 8 << 20)); }
is_not_protected() { (($(low) == 0)); }
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
has_looked() { (($(property Looks) >= looks + 3)); }

configure 65-kept <<-'END'
	[Class kept]
	Match=unit:kept.service
	Protect=auto
END
fgreclaimctl reload || fail "no reload over the bus"
systemd-run --quiet --unit=kept --slice=-.slice --service-type=notify \
	"$IN/bin/idle" --size 96 --result "$state/kept.txt"
wait_for 60 is_protected || fail "memory.low is $(low)"
fgreclaimctl status
[[ $(property State) == '"running"' ]] || fail "state: $(property State)"

as_nobody fgreclaimctl status || fail "not everybody may ask"
status=0
as_nobody fgreclaimctl pause >denied.log 2>&1 || status=$?
[[ $status == 1 && $(<denied.log) == *'only root may pause' ]] ||
	fail "exit $status: $(<denied.log)"
[[ $(property State) == '"running"' ]] || fail "anybody may pause it"

mark
[[ $(fgreclaimctl pause kept.service) == '/kept.service: paused' ]] || fail "no pause"
wait_for 10 is_not_protected || fail "memory.low is $(low)"
[[ $(systemctl show -P MemoryLow kept) == 0 ]] ||
	fail "MemoryLow=$(systemctl show -P MemoryLow kept)"
logged '^/kept.service: paused' || fail "$(since)"
status_is ', 1 paused$' || fail "status: $(status_text)"
looks=$(property Looks)
wait_for 30 has_looked || fail "$looks looks, then $(property Looks)"
is_not_protected || fail "memory.low is $(low) during the pause"

fgreclaimctl pause
status_is '^paused; ' || fail "status: $(status_text)"
looks=$(property Looks)
wait_for 30 has_looked || fail "$looks looks, then $(property Looks)"
fgreclaimctl status

fgreclaimctl resume
wait_for 30 is_protected || fail "memory.low is $(low) behind the pause"
[[ $(property Paused) == 0 ]] || fail "paused: $(property Paused)"
[[ $(systemctl service-log-level fgreclaimd) == debug ]] ||
	fail "log level: $(systemctl service-log-level fgreclaimd)"
systemctl stop kept
rm "$dropins/65-kept.conf"
fgreclaimctl reload
is_unharmed
