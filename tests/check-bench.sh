#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The policy bench as far as no guest is needed: its programs compile and choose at random as they
# should, its report judges as it should. Exit: 0, 1, or 77 without Python.
set -eu
command -v python3 >/dev/null || exit 77
cd "$(dirname "$0")/bench"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./build-programs "$work"
"$work/test-bench"
PYTHONDONTWRITEBYTECODE=1 python3 test_report.py
