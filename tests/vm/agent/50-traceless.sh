#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Switched off without a trace: the stop is quick and clean, and nothing that the agent could have
# set is other than it was before the first start. Then killed, which must leave nothing either.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

systemctl stop fgreclaimd
[[ $(systemctl show -P Result fgreclaimd) == success ]] || fail "$(systemctl show -P Result fgreclaimd)"
settings >"$state/after"
diff "$state/before" "$state/after" || fail "something is set differently"

mark
systemctl start fgreclaimd
sleep 3
systemctl kill --signal=KILL fgreclaimd
wait_for 10 logged 'watching and reclaiming' || fail "it did not come back: $(since)"
systemctl stop fgreclaimd
settings >"$state/after"
diff "$state/before" "$state/after" || fail "something is set differently after a crash"
