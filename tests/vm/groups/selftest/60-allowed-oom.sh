#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/../.. source=guest-lib.sh
source "$LIB"

# A test may run a cgroup into its limit on purpose: announced, it spoils nothing.

allow_oom /system.slice/victim.service
if systemd-run --quiet --wait --unit=victim --property=MemoryMax=8M --property=MemorySwapMax=0 \
	tail /dev/zero; then
	fail 'the victim survived'
fi
