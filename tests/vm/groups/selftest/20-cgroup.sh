#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/../.. source=guest-lib.sh
source "$LIB"

# cgroup v2 with the memory controller, for units and for cgroups made by hand.

[[ $(stat -f -c %T "$CG") == cgroup2fs ]]
grep -qw memory "$CG/cgroup.subtree_control"

systemd-run --quiet --unit=probe --property=MemoryMax=64M sleep infinity
[[ $(cg_read /system.slice/probe.service memory.max) == 67108864 ]]
has_memory() { (($(stat_of /system.slice/probe.service anon) > 0)); }
wait_for 5 has_memory
systemctl stop probe

mkdir "$CG/by-hand"
cg_read /by-hand memory.pressure
[[ -w $CG/by-hand/memory.reclaim ]]
rmdir "$CG/by-hand"
