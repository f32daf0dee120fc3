#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Understanding the listing of 5 000 cgroups on two nodes against printing those of 200: instructions.
# Held against lru_gen_full; plain lru_gen of 200 is cheaper to print than that of 5 000 is to read.
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
((status == 0)) || fail "parsing costs more than printing"
