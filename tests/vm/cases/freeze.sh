#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/.. source=guest-lib.sh
source "$LIB"

# The whole harness stops, as in a guest that hangs.
echo 1 >/sys/fs/cgroup/harness.slice/cgroup.freeze
sleep infinity
