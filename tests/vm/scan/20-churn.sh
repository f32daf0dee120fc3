#!/bin/bash
# SPDX-License-Identifier: MIT
#
# 2 000 cgroups, 50 of them removed and made again each second under the same names: in 100 looks no
# record of the listing may be taken for that of another cgroup.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=scan-lib.sh
source "$IN/scan-lib.sh"

progress "making 2000 cgroups"
start_churn 2000 50
progress "100 looks at them"
status=0
scan-check 100 "$dir" "$truth" >check.txt || status=$?
stop_churn
cat check.txt churn.txt
summary=$(grep -hE '^(records|listed|exact|gone|flawed|unlisted|wrong|seconds|per_second|vmhwm_kib)=' \
	check.txt churn.txt | paste -sd' ')
progress "$summary"
((status == 0)) || fail "scan-check ends with $status: $summary"
# By the guest's clock, which counts instructions, and so on every host.
(($(value churn.txt per_second) >= 49)) || fail "fewer came and went than 50 a second"
(($(value churn.txt removed) >= 500)) || fail "nothing much came or went"
