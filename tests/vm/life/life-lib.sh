# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# What the scripts beside this share; sourced after $LIB and the agent's agent-lib.sh. They run in the
# order of their names in one guest, whose clock counts instructions: times here are the guest's.

# install_agent: as a package would, at work on everything, with swap in memory.
install_agent() {
	mkdir -p "$state"
	install_root
	setup_zram 1G
	configure 60-act <<-'END'
		[Agent]
		DryRun=no
		Interval=1s
		CpuBudget=100%
	END
	# The clock skips what the guest waits for its disk, which a busy host may make long.
	mkdir -p /run/systemd/system/fgreclaimd.service.d
	echo $'[Service]\nTimeoutStartSec=infinity' >/run/systemd/system/fgreclaimd.service.d/time.conf
	systemctl daemon-reload
	systemctl start fgreclaimd
}

# hold UNIT MIB: a service that fills so much memory and never looks at it again.
hold() { systemd-run -q --unit="$1" "$IN/bin/hold" "$2"; }

stolen() { stat_of "/system.slice/$1.service" pgsteal; }
swapped_more_than() { (($(cg_read "/system.slice/$1.service" memory.swap.current) > $2)); }

# wait_long SECONDS COMMAND...: as wait_for, but looks seldom, since a look costs more than idle time.
wait_long() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < deadline)) || return 1
		sleep 5
	done
}

# wait_in_kernel FUNCTION: until a thread of the agent's is in that function of the kernel's. Without a
# process for each look: there are many.
wait_in_kernel() {
	local pid tries idle stack text
	pid=$(main_pid)
	exec {idle}<> <(:)
	for ((tries = 0; tries < 20000; tries++)); do
		for stack in "/proc/$pid/task"/*/stack; do
			text=''
			read -r -d '' text <"$stack" || true
			if [[ $text == *" $1+"* ]]; then
				exec {idle}>&-
				return
			fi
		done 2>/dev/null
		read -r -t 0.02 -u "$idle" || true
	done
	fail "the agent never came to $1"
}

logged_times() { since | grep -cE -- "$1" || true; }

# field NAME [MATCH]...: of the agent's last entry since mark that has it, and matches.
field() {
	local name=FGRECLAIM_$1
	shift
	journalctl -q --no-pager -o cat --output-fields="$name" -u fgreclaimd \
		--since="$(<"$state/mark")" "$@" | grep . | tail -n 1
}
