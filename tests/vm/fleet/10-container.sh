#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The container of conf/kubernetes, as a service: its root read-only, of the host what the pod mounts, in
# a cgroup namespace, with one capability and the seccomp profile. It gets to level tiers, knows itself,
# and takes cold memory of a pod. With io_uring whatever the profile does not have kills it; then
# without, as under a runtime's own profile, on threads.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"

configuration=/run/fleet

# in_container UNIT PROFILE ACTION OPTION... -- PROGRAM ARGUMENT...
in_container() {
	local unit=$1 profile=$2 action=$3 options=()
	shift 3
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	shift
	systemd-run --quiet --unit="$unit" --slice=kubepods-burstable-podagent.slice "${options[@]}" \
		-p RootDirectory="$IN/image" -p ReadOnlyPaths=/ -p PrivateNetwork=yes \
		-p BindPaths=/sys/fs/cgroup:/host/sys/fs/cgroup \
		-p BindPaths=/sys/kernel/debug:/host/sys/kernel/debug \
		-p BindPaths=/run/fgreclaim:/host/run/fgreclaim \
		-p BindReadOnlyPaths="$configuration:/etc/fgreclaim" \
		-p BindReadOnlyPaths="$IN/bin/confine:/confine" \
		-p BindReadOnlyPaths="$IN/$profile:/profile.json" \
		-p StandardOutput="append:$OUT/$unit.out" -p StandardError="append:$OUT/$unit.err" \
		-p MemoryMax=128M --setenv=SYSTEMD_LOG_LEVEL=debug \
		-- /confine /profile.json "$action" "$@"
}

# The pod that nobody uses.
start_idle() { systemd-run --quiet --unit="$1" --slice=kubepods-besteffort-podidle.slice "$IN/bin/hold" 64; }
idle=/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podidle.slice
swapped() { (($(cg_read "$idle/$1.service" memory.swap.current) > 24 << 20)); }
has_ring() { [[ $(readlink "/proc/$1"/fd/*) == *io_uring* ]]; }
said() { grep -qE -- "$2" "$OUT/$1.err"; }
# until_it UNIT COMMAND...: waits for the agent to do a thing. It looks seldom: the clock skips idle time.
until_it() {
	local unit=$1 deadline=$((SECONDS + 1800))
	shift
	until "$@"; do
		systemctl is-active --quiet "$unit" || fail "$unit is gone: $(tail -n 5 "$OUT/$unit.err")"
		((SECONDS < deadline)) || fail "$unit: not $*: $(tail -n 5 "$OUT/$unit.err")"
		sleep 5
	done
}

setup_zram 512M
mkdir -p /run/fgreclaim "$configuration/..data"
# As a ConfigMap is mounted: by links. It is to act, and soon.
sed 's/^DryRun=yes/DryRun=no\nInterval=1s\nCpuBudget=100%/' "$IN/fgreclaimd.conf" >"$configuration/..data/fgreclaimd.conf"
ln -s ..data/fgreclaimd.conf "$configuration/fgreclaimd.conf"

progress "with io_uring"
start_idle cold-1
in_container uring profile.json kill -- /usr/sbin/fgreclaimd --root=/host
until_it uring said uring 'capability: tiers'
pid=$(systemctl show -P MainPID uring)
grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$pid/status"
for line in CapEff:.0000000000000002 CapBnd:.0000000000000002 NoNewPrivs:.1 Seccomp:.2; do
	grep -q "^$line\$" "/proc/$pid/status" || fail "not ${line/./ }"
done
said uring 'is missing' && fail "it misses something: $(grep 'is missing' uring.err)"
has_ring "$pid" || fail "there is no ring"
until_it uring swapped cold-1
systemctl kill --signal=HUP uring
until_it uring said uring 'configuration loaded'
systemctl stop uring
said uring 'stopped' || fail "$(tail uring.err)"
systemctl is-failed --quiet uring && fail "it did not end well"
cg_read "$idle/cold-1.service" memory.swap.current

progress "its own cgroup, and the tools"
in_container once profile.json kill --wait -- /usr/sbin/fgreclaimd --root=/host --once --dry-run
grep -E '/once.service: never touched' once.out || fail "it does not know itself: $(<once.out)"
grep -E 'pods-besteffort .*/cold-1.service' once.out || fail "the pod is of no class: $(<once.out)"
in_container features profile.json kill --wait -- /usr/bin/fgreclaimctl --root=/host features
grep tiers features.out || fail "$(<features.out)"

progress "without io_uring"
systemctl stop cold-1
start_idle cold-2
in_container threads no-io_uring.json errno -- /usr/sbin/fgreclaimd --root=/host
until_it threads said threads 'io_uring is missing'
said threads 'capability: tiers' || fail "$(<threads.err)"
has_ring "$(systemctl show -P MainPID threads)" && fail "there is a ring"
until_it threads swapped cold-2
systemctl stop threads cold-2
cg_read /kubepods.slice memory.low
