#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The benches as far as no guest is needed: the policy bench's programs compile and choose at random as
# they should, the reports of all judge as they should, workloads and agents have what they need.
# Exit: 0, 1, or 77 without Python.
set -eu
command -v python3 >/dev/null || exit 77
cd "$(dirname "$0")/bench"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./build-programs "$work"
"$work/test-bench"
export PYTHONDONTWRITEBYTECODE=1
python3 test_compare.py
python3 test_report.py
python3 test_estimate_error.py
python3 ycsb/test_table.py
