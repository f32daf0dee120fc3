#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hours, or a day, in which cgroups come and go: memory and descriptors of the agent stay what they are.
# Idle time passes at once on this guest's clock.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=life-lib.sh
source "$IN/life-lib.sh"

hours=$(<"$IN/hours")
parent=$CG/day.slice
# What malloc and the kernel's batched counting of pages may differ by.
slack_kib=256

rss_kib() { sed -n 's/^VmRSS:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$(main_pid)/status"; }
descriptors() { find "/proc/$(main_pid)/fd" -mindepth 1 | wc -l; }
# Those that there is no need for. The files of a cgroup are opened when they are first needed, be it
# after hours, and each by the thread that reads and by who writes.
stray_descriptors() {
	find "/proc/$(main_pid)/fd" -mindepth 1 -printf '%l\n' | sed 's|:\[[0-9]*\]||' |
		sort | uniq -c |
		while read -r count path; do
			[[ $path == "$CG"* && -e $path ]] && ((count <= 2)) || echo "$count $path"
		done
}

configure 70-day <<<$'[Agent]\nInterval=15s'
systemctl restart fgreclaimd
hold memory 24
mkdir "$parent"
echo +memory >"$parent/cgroup.subtree_control"

made=0
# One minute: two cgroups with a process each, of which one is removed by the next look and one lives
# through some.
minute() {
	local n=$1 path
	for path in "$parent/short-$n" "$parent/long-$n"; do
		mkdir "$path"
		made=$((made + 1))
	done
	(echo "$BASHPID" >"$parent/short-$n/cgroup.procs" && exec sleep 1)
	rmdir "$parent/short-$n"
	(echo "$BASHPID" >"$parent/long-$n/cgroup.procs" && exec sleep 40)
	rmdir "$parent/long-$n"
	sleep 18
}

# Until all that is opened once is open, and arrays have grown.
for n in {1..30}; do minute "$n"; done
first_rss=$(rss_kib) first_fds=$(descriptors) pid=$(main_pid)
stray_descriptors >stray.first
progress "first: $first_rss kB, $first_fds descriptors"
for ((hour = 1; hour <= hours; hour++)); do
	for n in {1..60}; do minute "$n"; done
	progress "hour $hour: $(rss_kib) kB, $(descriptors) descriptors, $made cgroups came and went"
done
last_rss=$(rss_kib) last_fds=$(descriptors)
echo "after $hours h and $made cgroups: RSS $first_rss kB first, $last_rss kB last;" \
	"descriptors $first_fds first, $last_fds last"
[[ $(main_pid) == "$pid" ]] || fail "the agent was restarted"
is_unharmed
stray_descriptors >stray.last
diff stray.first stray.last || fail "descriptors have leaked, or were lost"
((last_rss <= first_rss + slack_kib)) || fail "RSS grew from $first_rss to $last_rss kB"
systemctl stop memory
rmdir "$parent"
rm "$dropins/70-day.conf"
