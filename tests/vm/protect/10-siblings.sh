#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Two units under one limit: `hot` looks up random keys of a database that fits well, `stream` reads files
# once. Three times the same: without the agent, with what it reclaims and no protection, and with
# Protect=auto and nothing that it reclaims. Then the hot set grows by half while the stream goes on.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=protect-lib.sh
source "$IN/protect-lib.sh"

limit_mib=150
latency_us=5000 # of each request, as of a hard disk
interval_ms=5000 # the default
slice=siblings.slice
hot=$CG/$slice/hot.service
device=''

refaults() { stat_of "/$slice/hot.service" workingset_refault_file; }
hits() { sed -n 's/^max //p' "$CG/$slice/memory.events"; }
held() { echo $(($(<"$hot/memory.current") >> 10)); }
low() { echo $(($(<"$hot/memory.low") >> 10)); }
covers_what_is_held() { (($(low) >= $(held))); }

run_unit() { # NAME COMMAND...
	systemd-run --quiet --collect --unit="$1" --slice=$slice --service-type=notify \
		--property=TimeoutStartSec=120 "$IN/bin/$2" "${@:3}"
}

# begin NAME: both units, the stream still waiting. Each time as for the first: a file system that is
# mounted anew has no memory of what was evicted.
begin() {
	mount -o noatime "$device" /data
	run_unit hot hot --burst 4 --think-us 8000 --result "$OUT/$1.hot" /data/hot.db
	run_unit stream stream --result "$OUT/$1.stream" /data/files
	sleep 20
}

# measure NAME: the stream reads its files; leaves $1.stream and $1.refaults.
measure() {
	local refaults hits
	refaults=$(refaults) hits=$(hits)
	systemctl kill --signal=USR1 hot stream
	wait_for 300 test -s "$1.stream" || fail "$1: the stream does not end"
	echo $(($(refaults) - refaults)) >"$1.refaults"
	say "$1: $(<"$1.refaults") refaults of hot, stream $(value "$1.stream" mib_per_second) MiB/s," \
		"limit hit $(($(hits) - hits)) times"
	systemctl stop stream
}

end() {
	systemctl stop hot
	umount /data
}

# judge NAME: against the run without the agent. What is bad goes to $bad, so that all is measured.
bad=''
judge() {
	local speed
	speed=$(awk -v a="$(value "$1.stream" mib_per_second)" \
		-v b="$(value without.stream mib_per_second)" 'BEGIN { printf "%.1f", 100 * a / b }')
	say "$1: $(awk -v a="$(<"$1.refaults")" -v b="$(<without.refaults)" \
		'BEGIN { printf "%.2f", 100 * a / b }') % of the refaults, $speed % of the stream's speed"
	(($(<"$1.refaults") * 100 <= $(<without.refaults))) ||
		bad+="$1: $(<"$1.refaults") refaults, $(<without.refaults) without the agent; "
	awk -v speed="$speed" 'BEGIN { exit speed < 95 }' || bad+="$1: the stream has $speed % of its speed; "
}

install_agent
device=$(slow_copy "$(disk disk0)" $latency_us)
mkdir -p /data
printf '[Slice]\nMemoryMax=%dM\n' $limit_mib >/run/systemd/system/$slice
systemctl daemon-reload

begin without
measure without
end
(($(<without.refaults) > 2000)) || fail "$(<without.refaults) refaults without the agent: nothing to be seen here"

# As shipped, but that it acts. An emulated processor takes some ten times as long over a look.
configure 60-act <<<$'[Agent]\nDryRun=no\nCpuBudget=10%'
systemctl start fgreclaimd
begin arbitration
measure arbitration
[[ $(<"$hot/memory.low") == 0 ]] || fail "arbitration: hot is protected"
end
systemctl stop fgreclaimd
judge arbitration

# Of no other class: no other cgroup is touched, and of this one nothing is taken.
configure 70-protect <<-'END'
	[Class hot]
	Match=unit:hot.service
	Reclaim=none
	Protect=auto
	ProtectMax=75%
END
mark
systemctl start fgreclaimd
begin protection
# What was read in proves itself by staying: within minutes.
sleep 150
wait_for 300 covers_what_is_held || fail "hot holds $(held) KiB, memory.low is $(low) KiB: $(since)"
say "protection: memory.low $(low) KiB, hot holds $(held) KiB"
measure protection

# MS LOW REFAULTS CURRENT, in KiB, until it is killed. No process but sleep: they cost in an emulated guest.
follow() {
	local low current key number refaults=0
	while :; do
		read -r low <"$hot/memory.low"
		read -r current <"$hot/memory.current"
		while read -r key number; do
			[[ $key != workingset_refault_file ]] || refaults=$number
		done <"$hot/memory.stat"
		echo "$((${EPOCHREALTIME/./} / 1000)) $((low >> 10)) $refaults $((current >> 10))"
		sleep 0.2
	done
}

# growth_ms: from when more pages had come back than by chance to when as much was protected as hot ever
# came to hold; "no" if it never was.
growth_ms() {
	awk -v grown="$(<grown)" '
		NR == FNR { need = $4 > need ? $4 : need; next }
		$1 < grown { before = $3; next }
		!hurt && $3 >= before + 64 { hurt = $1 }
		!done && $2 >= need { done = $1 }
		END { print (done ? (hurt && hurt < done ? done - hurt : 0) : "no") }' growth growth
}

# In the cgroup of hot a second one, with a database of half the size.
run_unit stream stream --seconds 30 --result "$OUT/growth.stream" /data/files
follow >growth &
following=$!
systemctl kill --signal=USR1 stream
sleep 5
echo $((${EPOCHREALTIME/./} / 1000)) >grown
(
	echo "$BASHPID" >"$hot/cgroup.procs"
	exec "$IN/bin/hot" --burst 2 --think-us 8000 --result "$OUT/grown.hot" /data/grown/hot.db
) &
wait_for 300 test -s growth.stream || fail "growth: the stream does not end"
kill $following
systemctl stop stream
followed_ms=$(growth_ms)
say "growth by half: all of it protected $followed_ms ms after the first refaults," \
	"an interval being $interval_ms ms; memory.low $(low) KiB, hot holds $(held) KiB"
end
wait || true
systemctl stop fgreclaimd
judge protection
if [[ $followed_ms == no ]]; then
	bad+="growth: not all of it is ever protected, see growth; "
elif ((followed_ms > 2 * interval_ms)); then
	bad+="growth: it took $followed_ms ms to be protected; "
fi
rm "$dropins"/*.conf
[[ ! $bad ]] || fail "${bad%; }"
