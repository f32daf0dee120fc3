#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Random sequences of start, reload, crash, daemon-reload, set-property by somebody else, and stop and
# start of units, with a service that has a file, a transient one, their slice, and a cgroup that is no
# unit: after each, nothing is left behind, and somebody else's value is.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=protect-lib.sh
source "$IN/protect-lib.sh"

sequences=$(<"$IN/sequences") seed=$(<"$IN/seed")
pid='' log=$OUT/agent.log

# Directly: systemd would soon start it no more.
agent_start() {
	fgreclaimd >>"$log" 2>&1 &
	pid=$!
}

# As systemd would, which waits for READY=1: before, a signal ends it like any other program.
takes_signals() { grep -q '^SigBlk:.*[13579bdf]$' "/proc/$pid/status"; }
agent_signal() { wait_for 20 takes_signals && kill "-$1" "$pid"; }

agent_end() { # SIGNAL
	if [[ $1 == KILL ]]; then kill -KILL "$pid"; else agent_signal "$1"; fi
	wait "$pid" 2>/dev/null || true
	pid=''
}

# one_event: of a random kind, to a random unit. Names itself in $sequence; keeps what is somebody
# else's in theirs[].
one_event() {
	# Mostly less than the agent wants, or it would have nothing to set from then on.
	local unit=${units[RANDOM % 3]} kib=$((4 * (256 + RANDOM % 512)))
	((RANDOM % 8)) || kib=$((100 * kib))
	case $((RANDOM % 7)) in
	0)
		sequence+=' crash'
		agent_end KILL
		agent_start
		;;
	1)
		sequence+=' reload'
		agent_signal HUP
		;;
	2)
		sequence+=' daemon-reload'
		systemctl daemon-reload
		;;
	3)
		is_active "$unit" || return 0
		sequence+=" set-property:$unit=${kib}K"
		set_low "$unit" "${kib}K"
		theirs[$unit]=$((kib << 10))
		;;
	4)
		sequence+=" write=${kib}K"
		echo "${kib}K" >"$direct/memory.low"
		theirs[direct]=$((kib << 10))
		;;
	5)
		[[ $unit == *.service ]] && is_active "$unit" || return 0
		sequence+=" stop:$unit"
		systemctl stop "$unit"
		[[ $unit != prot-transient.service ]] || theirs[$unit]=0
		;;
	6)
		is_active "$unit" || { sequence+=" start:$unit" && start_unit "$unit"; }
		;;
	esac
}

# check_all: that all is as it was, or as somebody else has set it.
check_all() {
	local unit file
	for unit in "${units[@]}"; do
		file=$CG/prot.slice/${unit#prot.slice}/memory.low
		if is_active "$unit"; then
			[[ $(<"$file") == "${theirs[$unit]}" ]] ||
				fail "$sequence: $unit has $(<"$file"), not ${theirs[$unit]}"
		elif [[ $unit == prot-transient.service ]]; then
			continue # forgotten with all its properties
		fi
		[[ $(property "$unit") == "${theirs[$unit]}" ]] ||
			fail "$sequence: $unit has $(property "$unit"), not ${theirs[$unit]}"
	done
	[[ $(<"$direct/memory.low") == "${theirs[direct]}" ]] ||
		fail "$sequence: $(<"$direct/memory.low"), not ${theirs[direct]}"
	[[ ! -e /run/fgreclaim/protect ]] || fail "$sequence: a journal is left"
}

start_all
trap '[[ ! $pid ]] || kill "$pid"' EXIT
mkdir -p /run/fgreclaim
RANDOM=$seed
declare -A theirs=([prot-file.service]=1048576 [prot-transient.service]=0 [prot.slice]=0 [direct]=0)
ours=0
for ((round = 0; round < sequences; round++)); do
	((round % 10)) || progress "seed $seed, sequence $round of $sequences"
	sequence="seed $seed, sequence $round: start"
	agent_start
	sleep "0.$((RANDOM % 10))"
	for ((n = 1 + RANDOM % 5; n > 0; n--)); do
		one_event
		sleep "$((RANDOM % 3)).$((RANDOM % 10))"
	done
	[[ ! -e /run/fgreclaim/protect ]] || ours=$((ours + 1))
	agent_end TERM
	echo "$sequence"
	check_all
done
say "$sequences random sequences from seed $seed: nothing is left; $ours of them had something to put back"
((ours * 2 > sequences)) || fail "the agent had set too little to be judged by"
stop_all
