# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
#
# What the scripts beside this share; sourced after $LIB and the agent's agent-lib.sh. They run in one
# guest, one server at a time, whose clock counts instructions: times here are the guest's. Data lies on
# a disk that takes 0.2 ms a request by that clock; those of the host would take any time.

disk_usec=200

# install_agent: as a package would, once a guest: at work, with swap in memory and all profiles in
# force. What no profile names is left alone, but for one service that holds what it does not need.
install_agent() {
	[[ ! -d $state ]] || return 0
	mkdir -p "$state" /srv
	install_root
	setup_zram 1G
	mke2fs -q -t ext4 -b 4096 -m 0 "$(null_disk servers 1500 "$disk_usec")"
	mount -o noatime /dev/servers /srv
	mkdir -p "$dropins"
	cp /usr/share/doc/fgreclaim/examples/profiles/*.conf "$dropins/"
	configure 60-act <<-'END'
		[Agent]
		DryRun=no
		CpuBudget=20%
	END
	configure zz-idle <<-'END'
		[Class idle]
		Match=unit:idle.service
	END
	systemctl daemon-reload
	systemd-run -q --unit=idle "$IN/bin/hold" 48
	systemctl start fgreclaimd
}

# begin UNIT LIMIT [DATA]: as Debian has it, but for its limit and the disk that its directory DATA is
# on; not yet started. cg is its cgroup once it is.
begin() {
	unit=$1 data=${3:-}
	if [[ $data ]]; then
		cp -a "$data" "/srv/$unit"
		mount --bind "/srv/$unit" "$data"
	fi
	trap end EXIT
	mkdir -p "/run/systemd/system/$unit.d"
	printf '[Service]\nMemoryMax=%s\n' "$2" >"/run/systemd/system/$unit.d/limit.conf"
	systemctl daemon-reload
}

# start_afresh: with nothing of its data in memory.
start_afresh() {
	systemctl stop "$unit"
	if [[ $data ]]; then
		umount "$data" /srv
		mount -o noatime /dev/servers /srv
		mount --bind "/srv/$unit" "$data"
	fi
	mark
	systemctl start "$unit"
	cg=$(systemctl show -P ControlGroup "$unit")
	count started
}

# session COMMAND...: a client that answers each line with one line.
session() {
	coproc CLIENT { exec "$@"; }
	exec {to_client}>&"${CLIENT[1]}" {from_client}<&"${CLIENT[0]}"
}

# ask QUERY: the answer.
ask() {
	local answer
	echo "$1" >&"$to_client"
	read -r -t 600 -u "$from_client" answer || fail "no answer to: $1"
	echo "$answer"
}

# hot_queries N SECONDS FILE: one every so often, by query() of the script, which is told its number; the time
# of each in microseconds goes to FILE, and what memory is in use to trace.
hot_queries() {
	local n begun
	for ((n = 0; n < $1; n++)); do
		sleep "$2"
		begun=${EPOCHREALTIME/./}
		query "$n"
		echo $((${EPOCHREALTIME/./} - begun)) >>"$3"
		awk -v at="$SECONDS" '$1 ~ /^(anon|file|shmem|pgmajfault|workingset_refault_.*)$/ {
			line = line " " $1 "=" $2 } END { print at line }' "$CG$cg/memory.stat" >>trace
	done
}

median() { sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

# count NAME: keeps the counters of the server's cgroup as they are now.
count() { cp "$CG$cg/memory.stat" "$1.stat" && cp "$CG$cg/memory.events" "$1.events"; }

# counted NAME KEY, events NAME KEY: of those; grown KEY [FROM TO]: between two.
counted() { awk -v key="$2" '$1 == key { print $2 }' "$1.stat"; }
events() { awk -v key="$2" '$1 == key { print $2 }' "$1.events"; }
grown() { echo $(($(counted "${3:-after}" "$1") - $(counted "${2:-before}" "$1"))); }

# hot_refaults: pages of file that came back, but for what the dump itself read again.
hot_refaults() {
	echo $(($(grown workingset_refault_file started before) + $(grown workingset_refault_file dumped after)))
}

# file_bytes NAME: of pages that a file has, which shared memory has not.
file_bytes() { echo $(($(counted "$1" file) - $(counted "$1" shmem))); }

mib() { awk -v bytes="$1" 'BEGIN { printf "%.1f MiB", bytes / 1048576 }'; }

# is_of_class CLASS: the server's cgroup is, by the line of the profile that names its unit.
is_of_class() {
	local row place
	fgreclaimctl --why list >why
	row=$(grep -F -A 1 -- " $cg: " why) || fail "no cgroup $cg: $(<why)"
	place=$(sed -n '2s/^ *//p' <<<"$row")
	echo "$row"
	[[ $row == *" $1 "* && $place == "$dropins/$1.conf:"* ]] || fail "$cg is not of class $1: $row"
	sed -n "${place##*:}p" "$dropins/$1.conf"
}

# --- what any profile promises

# is_left_in_memory: nothing of the server's own memory went to swap, while the agent did take from the
# service that the profiles do not name.
is_left_in_memory() {
	local swapped
	swapped=$(cg_read "$cg" memory.swap.current)
	((swapped == 0)) || fail "$swapped bytes went to swap"
	(($(grown workingset_refault_anon) == 0)) || fail "anon came back: $(grown workingset_refault_anon)"
	swapped=$(cg_read /system.slice/idle.service memory.swap.current)
	((swapped > 16 << 20)) || fail "only $swapped bytes of what is idle: the agent did not act"
}

# is_within_limit: the server never met its limit.
is_within_limit() {
	local key
	for key in max oom oom_kill; do
		(($(events after "$key") == $(events before "$key"))) || fail "events: $key grew"
	done
}

# is_given_back READ_ONCE GIVEN_BACK: bytes of file; three quarters of what was read once at least.
is_given_back() {
	(($1 > 32 << 20)) || fail "only $1 bytes were read once: nothing was tested"
	(($2 * 4 >= $1 * 3)) || fail "of $1 bytes read once $2 were given back"
}

# is_cheap REFAULTS: pages of file; what RefaultLimit=0.1%/min allows in twenty minutes, since what is
# tried first is taken before anybody knows, at most.
is_cheap() {
	local held=$(($(counted dumped anon) + $(counted dumped file)))
	(($1 * 4096 * 50 <= held)) || fail "$1 pages of $((held / 4096)) came back"
}

# is_kept BEFORE AFTER: a hot query takes what it took, a tenth more at most.
is_kept() { (($2 * 10 <= $1 * 11)) || fail "a hot query takes $2 us, and took $1"; }

# is_quiet: the agent did all that without a word of complaint.
is_quiet() {
	is_unharmed
	if warnings | grep .; then
		fail "it warns"
	fi
}

# figures TEXT...: the line of this server.
figures() {
	echo "$*" | tee line
	progress "$*"
}

# end: for the next server.
end() {
	systemctl stop "$unit"
	[[ ! $data ]] || umount "$data"
}

# judge_database NAME: after a dump, by what was counted before, dumped and after, and by the hot queries'
# times in micros.before and micros.after.
judge_database() {
	local before after read_once given_back refaults
	before=$(median micros.before) after=$(median micros.after)
	read_once=$(($(file_bytes dumped) - $(file_bytes before)))
	given_back=$(($(file_bytes dumped) - $(file_bytes after)))
	refaults=$(hot_refaults)
	figures "$1: hot query $before us before, $after us after; $refaults refaults of file," \
		"$(grown pgmajfault) major faults, $(cg_read "$cg" memory.swap.current) bytes in swap;" \
		"the dump brought $(mib "$read_once") of file, $(mib "$given_back") were given back"
	is_kept "$before" "$after"
	is_given_back "$read_once" "$given_back"
	is_cheap "$refaults"
	is_left_in_memory
	is_within_limit
	is_quiet
}
