#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Protect=auto on units, from within the shipped sandbox: systemd is asked for MemoryLow=, and to put it
# back: at the end, and after kill -9 by the next start. Somebody else's value stays.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=protect-lib.sh
source "$IN/protect-lib.sh"

are_protected() {
	local unit
	for unit in "${units[@]}"; do
		(($(property "$unit") > 4 << 20)) || return 1
	done
	(($(<"$direct/memory.low") > 4 << 20))
}

start_all
all_lows >"$state/lows"

# daemon-reload is nobody else's change.
mark
systemctl start fgreclaimd
wait_for 60 are_protected || fail "$(all_lows; since)"
systemctl daemon-reload
sleep 2
are_protected || fail "daemon-reload took it: $(all_lows)"
if logged 'left to whoever set it'; then fail "daemon-reload was taken for somebody else: $(since)"; fi

# Killed: the next start puts it back first, and goes on.
mark
systemctl kill --signal=KILL fgreclaimd
wait_for 20 logged 'ended without putting memory.low back: doing it for 4 ' || fail "$(since)"
wait_for 60 are_protected || fail "it does not go on: $(all_lows; since)"
systemctl stop fgreclaimd
all_lows >lows
diff "$state/lows" lows || fail "memory.low is left"
[[ ! -e /run/fgreclaim/protect ]] || fail "a journal is left"

# Killed, and the next start is to protect nothing.
systemctl start fgreclaimd
wait_for 60 are_protected || fail "$(all_lows; since)"
sed -i 's/^Protect=.*/Protect=no/' "$dropins/70-protect.conf"
mark
systemctl kill --signal=KILL fgreclaimd
are_protected || fail "nothing is left to be put back: $(all_lows)"
are_as_before() { all_lows | diff "$state/lows" - >/dev/null; }
wait_for 60 are_as_before || fail "$(all_lows | diff "$state/lows" -; since)"
[[ ! -e /run/fgreclaim/protect ]] || fail "a journal is left"
say "kill -9 and a start: memory.low of $(wc -l <"$state/lows") cgroups as before the first start"

# Somebody else's value stays: while it runs, at its end, and over a crash.
sed -i 's/^Protect=.*/Protect=auto/' "$dropins/70-protect.conf"
mark
systemctl reload fgreclaimd
wait_for 60 are_protected || fail "$(all_lows; since)"
set_low prot-file.service 100M
echo 100M >"$direct/memory.low"
for name in prot-file.service protdirect; do
	wait_for 20 logged "$name: memory.low is 100M and not the .*left to whoever set it" || fail "$name: $(since)"
done
systemctl kill --signal=KILL fgreclaimd
wait_for 20 logged 'ended without putting memory.low back' || fail "$(since)"
sleep 3
systemctl stop fgreclaimd
[[ $(property prot-file.service) == 104857600 ]] || fail "set-property is undone: $(property prot-file.service)"
[[ $(<"$direct/memory.low") == 104857600 ]] || fail "a write is undone: $(<"$direct/memory.low")"

stop_all
