#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The unit file is one that systemd has nothing to say about, and its sandbox is tight.
set -eu
command -v systemd-analyze >/dev/null || exit 77

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The program is not installed yet, so another one stands in for it.
sed 's|^ExecStart=.*|ExecStart=/bin/true|' units/fgreclaimd.service >"$work/fgreclaimd.service"
output=$(systemd-analyze verify --man=no "$work/fgreclaimd.service" 2>&1) || true
if [[ $output ]]; then
	echo "$output"
	exit 1
fi
# The exposure level that it had before there was Protect=auto, in tenths.
systemd-analyze security --offline=true --threshold=12 --no-pager "$work/fgreclaimd.service"
