# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# What the scripts beside this share; sourced after $LIB and the agent's agent-lib.sh. They run in the
# order of their names in one guest, whose clock counts instructions: times here are the guest's.

# install_agent: as a package would; it is not started.
install_agent() {
	mkdir -p "$state"
	install_root
}

# say TEXT: what was measured, to the log, and to whoever is watching.
say() { progress "$*" && echo "$*"; }

# all_lows: memory.low of every cgroup but the agent's and the harness's.
all_lows() {
	find "$CG" -name memory.low -not -path '*/fgreclaimd.service/*' -not -path '*/harness.slice/*' \
		-exec grep -H . {} + | sort
}

# --- what is protected: a service that has a file, a transient one, their slice, and a cgroup that is
# no unit.

units=(prot-file.service prot-transient.service prot.slice)
direct=$CG/protdirect

property() { systemctl show -P MemoryLow "$1"; }
is_active() { systemctl is-active --quiet "$1"; }
set_low() { systemctl set-property --runtime "$1" MemoryLow="$2"; }

start_unit() {
	if [[ $1 == prot-transient.service ]]; then
		systemd-run --quiet --collect --unit="$1" --slice=prot.slice bash "$state/hold.sh"
	else
		systemctl start "$1"
	fi
}

# start_all: them, and the configuration of an agent that does not run yet.
start_all() {
	local unit
	[[ ! -d $dropins ]] || rm -f "$dropins"/*.conf
	configure 70-protect <<-'END'
		[Agent]
		DryRun=no
		Interval=500ms
		[Class protected]
		Match=/prot.slice
		Match=/prot.slice/*
		Match=/protdirect
		Reclaim=none
		Protect=auto
	END
	cat >"$state/hold.sh" <<-'END'
		printf -v held %6000000s
		sleep infinity
		: # or it would be replaced by sleep, and hold nothing
	END
	cat >/run/systemd/system/prot-file.service <<-END
		[Service]
		Slice=prot.slice
		ExecStart=/bin/bash $state/hold.sh
		MemoryLow=1M
	END
	systemctl daemon-reload
	mkdir "$direct"
	(
		echo "$BASHPID" >"$direct/cgroup.procs"
		exec bash "$state/hold.sh"
	) &
	for unit in "${units[@]}"; do start_unit "$unit"; done
}

stop_all() {
	local unit
	for unit in "${units[@]}"; do systemctl stop "$unit" 2>/dev/null || true; done
	echo 1 >"$direct/cgroup.kill"
	wait || true
	rmdir "$direct"
	rm /run/systemd/system/prot-file.service "$dropins/70-protect.conf"
	rm -rf /run/systemd/system.control/prot*.d
	systemctl daemon-reload
}
