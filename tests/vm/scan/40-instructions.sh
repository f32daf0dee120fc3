#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Understanding the listing of 5 000 cgroups on two nodes against printing that of 200: instructions,
# lru_gen against lru_gen and lru_gen_full against lru_gen_full.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=scan-lib.sh
source "$IN/scan-lib.sh"

start_churn 200 0
status=0
scan-count >count.txt || status=$?
stop_churn
cat count.txt
while IFS= read -r line; do
	progress "$line"
done <count.txt
((status != 77)) || skip "the clock does not count instructions"
progress "compared: our parse of 5000 cgroups with the kernel's print of 200, each kind with its own"
((status == 0)) || fail "parsing 5000 cgroups costs more than printing 200"
