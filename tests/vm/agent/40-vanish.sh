#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Cgroups that come and go between any two steps of the agent, with names that systemd and container
# runtimes give: it notices, and has nothing to say about it.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=agent-lib.sh
source "$IN/agent-lib.sh"

parent=$CG/vanish.slice
names=('app-gnome-firefox\x2dw-2504.scope' 'cri-containerd:0a1b2c.scope' 'two words' 'getty@tty1.service'
	'ünïcödé.service')

systemctl start fgreclaimd
configure 80-fast <<<$'[Agent]\nInterval=500ms'
systemctl reload fgreclaimd
sleep 1
mark
mkdir "$parent"
echo +memory >"$parent/cgroup.subtree_control"
echo 64M >"$parent/memory.max"
for round in {1..25}; do
	for name in "${names[@]}"; do
		mkdir "$parent/$name"
		# Some memory of its own, so that there is something to plan for.
		(echo "$BASHPID" >"$parent/$name/cgroup.procs" && head -c 12M /dev/zero |
			tail -c 12M >/dev/null) &
	done
	wait
	for name in "${names[@]}"; do
		wait_for 10 rmdir "$parent/$name" 2>/dev/null || fail "rmdir of $name, round $round"
	done
done
rmdir "$parent"
is_unharmed
since >log.txt
if warnings | grep .; then
	fail "vanishing cgroups are worth a warning to it"
fi
# Descriptors are given back with the next look: a memcg holds up to 14, the root has none to count.
memcgs=$(find "$CG" -name memory.current | wc -l)
descriptors() { find "/proc/$(main_pid)/fd" -mindepth 1 | wc -l; }
few_descriptors() { (($(descriptors) <= 30 + 14 * (memcgs + 1))); }
wait_for 20 few_descriptors || fail "$(descriptors) descriptors for $memcgs memcgs"
rm "$dropins/80-fast.conf"
