#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The shipped unit with the installed configuration: starts, watches, says so, and reloads.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

mkdir -p "$state"
install_root
setup_zram 512M
settings >"$state/before"

fgreclaimctl features | tee features
grep -Eq '^swappiness-max .* lru_gen (takes|refuses) swappiness "max"' features ||
	fail "lru_gen could not be asked"

mark
systemctl start fgreclaimd || { since; fail "the unit does not start"; }
status_is '^tiers, dry run: [0-9]+ of [0-9]+ memcgs' || fail "status: $(status_text)"
logged '^capability: tiers$' || fail "the capability is not logged"
logged 'dry run: nothing is reclaimed' || fail "the dry run is not announced"
logged 'is missing' && fail "it misses something: $(since)"

# One capability, and nothing else.
grep -q '^CapEff:	0000000000000002$' "/proc/$(main_pid)/status" ||
	fail "$(grep CapEff "/proc/$(main_pid)/status")"

# A bad file is refused as a whole, by name and line; the agent goes on.
pid=$(main_pid)
configure 50-bad <<<$'[Agent]\nDryRun=no\nIntervall=1s'
status=0
fgreclaimd --check-config >check.log 2>&1 || status=$?
((status == 78)) || fail "--check-config of a bad file: exit $status"
grep -q "50-bad.conf:3: Intervall" check.log || fail "$(<check.log)"
mark
systemctl reload fgreclaimd
wait_for 10 logged '50-bad.conf:3: Intervall.*the former configuration stays' || fail "$(since)"
rm "$dropins/50-bad.conf"

# An emulated processor takes some ten times as long over reclaim.
configure 60-act <<<$'[Agent]\nDryRun=no\nInterval=1s\nCpuBudget=20%'
mark
systemctl reload fgreclaimd
wait_for 10 logged 'configuration loaded' || fail "$(since)"
wait_for 15 status_is '^tiers: .* freed' || fail "status: $(status_text)"
[[ $(main_pid) == "$pid" ]] || fail "the agent was restarted"
is_unharmed
