#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/.. source=guest-lib.sh
source "$LIB"

# An OOM kill that nobody announced: the script passes, the kernel's log does not.
systemd-run --quiet --wait --unit=victim --property=MemoryMax=8M --property=MemorySwapMax=0 \
	tail /dev/zero || true
