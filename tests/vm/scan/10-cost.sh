#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What a look at the host costs, part by part, with few cgroups and with many.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=scan-lib.sh
source "$IN/scan-lib.sh"

scan-cost - >cost.txt
for run in '10 100' '200 20' '2000 3'; do
	read -r cgroups times <<<"$run"
	progress "cost of a look at $cgroups cgroups"
	start_churn "$cgroups" 0
	scan-cost "$times" "$dir" >>cost.txt
	stop_churn
done
cat cost.txt
while IFS= read -r line; do
	progress "$line"
done <cost.txt
