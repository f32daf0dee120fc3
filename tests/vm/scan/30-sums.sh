#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The listing and the kernel's other books say the same, while the guest is idle.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=scan-lib.sh
source "$IN/scan-lib.sh"

start_churn 200 0
sleep 5 # until the counters are up to date: every 2 s
status=0
scan-sums "$dir" >sums.txt || status=$?
stop_churn
cat sums.txt
((status == 0)) || fail "the sums differ"
