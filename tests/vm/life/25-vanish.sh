#!/bin/bash
# SPDX-License-Identifier: MIT
#
# users.md 13: a cgroup is removed while a write to its memory.reclaim is under way: rmdir(2), which
# waits for who writes to a file of the cgroup, waits for that write and no more. By io_uring and by
# threads.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=life-lib.sh
source "$IN/life-lib.sh"

path=$CG/vanish
file=/var/tmp/mapped
file_mib=32
# So that a page takes the kernel some tenths of a millisecond.
maps=500

is_read() { (($(stat_of /vanish file) >= file_mib << 20)); }

# For how many microseconds rmdir(2) waits, and all that it takes to ask.
remove() {
	local begun=${EPOCHREALTIME/./}
	rmdir "$path" || return
	echo $((${EPOCHREALTIME/./} - begun))
}

# Its pages are the cgroup's, their mappings are not.
inhabit() {
	mkdir "$path"
	rm -f "$file"
	truncate -s "${file_mib}M" "$file"
	(echo "$BASHPID" >"$path/cgroup.procs" && cat "$file" >/dev/null && exec sleep infinity) &
	inhabitant=$!
	wait_for 20 is_read || fail "it holds $(stat_of /vanish file) bytes of file"
	exec {mapped}< <(exec "$IN/bin/map" "$file" "$maps")
	mapper=$!
	read -r -u "$mapped"
	exec {mapped}<&-
	echo 1 >"/proc/$mapper/clear_refs" # nobody looks at them again
}

vanish() { # RING
	local alone waited took
	configure 70-vanish <<-END
		[Agent]
		Interval=5s
		Ring=$1
		[Class tried]
		Match=/vanish
	END
	mark
	systemctl restart fgreclaimd
	wait_for 30 status_is '^reclaim' || fail "status: $(status_text)"
	mkdir "$path"
	alone=$(remove)
	inhabit
	wait_long 600 logged '^/vanish: reclaimed file: freed [1-9]' ||
		fail "nothing is taken from it: $(since)"
	progress "$1: taken from"
	wait_in_kernel memory_reclaim
	echo "$inhabitant" >"$CG/cgroup.procs"
	waited=$(remove) || fail "it cannot be removed"
	wait_for 20 logged '^/vanish: reclaimed file: .*gone' ||
		fail "no write was under way, rmdir took $waited us: $(since)"
	took=$(field TOOK_USEC FGRECLAIM_CGROUP=/vanish)
	echo "$1: rmdir took $waited us, the write $took us, rmdir of an empty cgroup $alone us"
	sleep 10
	since | grep '^/vanish'
	((waited <= took + alone)) || fail "rmdir took $waited us, the write $took us"
	(($(logged_times '^/vanish: .*gone') == 1)) || fail "it was written to once more"
	kill "$mapper" "$inhabitant"
}

echo 0 >/sys/kernel/mm/lru_gen/enabled # else it is lru_gen that is written to, which rmdir ignores
for ring in io_uring threads; do
	vanish "$ring"
done
echo 7 >/sys/kernel/mm/lru_gen/enabled
rm "$file" "$dropins/70-vanish.conf"
systemctl restart fgreclaimd
is_unharmed
