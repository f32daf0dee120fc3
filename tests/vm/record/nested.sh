#!/bin/bash
# SPDX-License-Identifier: MIT
#
# nested.sh IDLE: a manager in a delegated cgroup, with two of its own making below; in one of them
# runs IDLE.

set -eu
own=$CG$(sed 's/^0:://' /proc/self/cgroup)
mkdir "$own/manager" "$own/box:1"
echo $$ >"$own/manager/cgroup.procs"
echo +memory >"$own/cgroup.subtree_control"
unset NOTIFY_SOCKET
(
	echo "$BASHPID" >"$own/box:1/cgroup.procs"
	exec "$1" --size 6 --hot-percent 50
) &
mkdir "$own/box@2"
exec sleep infinity
