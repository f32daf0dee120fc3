#!/bin/bash
# SPDX-License-Identifier: MIT
#
# users.md 2: a cgroup thrashes at its limit, and what is cold in it goes to a swap so slow that
# writes run into their deadline: none outlives that by more than one batch of the kernel's, the loop
# stays awake, and a stop with a write under way takes a second at most. By io_uring and by threads.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=life-lib.sh
source "$IN/life-lib.sh"

tracing=/sys/kernel/tracing
deadline_usec=500000
# So late a deadline's timer may be (DEADLINE_ACCURACY_USEC), and as much for who is woken by it.
wake_usec=20000
page_usec=4000 # to swap: a batch is some 64 pages

cold=/thrash.slice/cold.service
loop=/thrash.slice/loop.service

refaults() { stat_of "$loop" workingset_refault_file; }
thrashes() { (($(refaults) > 10000)); }
is_cut() { (($(logged_times "^$cold: evicted cold anon: .*interrupted") >= $1)); }

# What a write does between two looks at whether it is to end.
trace_batches() {
	mountpoint -q "$tracing" || mount -t tracefs none "$tracing"
	echo 8192 >"$tracing/buffer_size_kb"
	echo evict_folios >"$tracing/set_ftrace_filter"
	echo 1 >"$tracing/options/funcgraph-proc"
	echo function_graph >"$tracing/current_tracer"
}
longest_batch_usec() { # of the agent's threads, or io_uring's
	awk '/iou-wrk|fgrecla/ {
			for (i = 2; i <= NF; i++)
				if ($i == "us" && $(i - 1) > most) most = $(i - 1)
		}
		END { printf "%d\n", most + 1 }' "$tracing/trace"
}

stop_within_a_second() {
	local begun=${EPOCHREALTIME/./} took
	systemctl stop fgreclaimd
	took=$((${EPOCHREALTIME/./} - begun))
	echo "stopped within $took us"
	((took < 1000000)) || fail "the stop took $took us"
	[[ $(systemctl show -P Result fgreclaimd) == success ]] || fail "it failed"
	journalctl --sync
}

thrash() { # RING
	local longest late lag batch
	configure 70-thrash <<-END
		[Agent]
		Interval=5s
		WriteMax=64M
		WriteDeadline=500ms
		Ring=$1
		[Swap]
		Anon=yes
		WriteBudget=infinity
		[Class all]
		Match=/thrash.slice/**
		RefaultLimit=100%/min
	END
	mark
	systemctl restart fgreclaimd
	systemd-run -q --unit=cold --slice=thrash.slice "$IN/bin/hold" 96
	sleep 60
	wait_long 400 logged "^$cold: evicted" || fail "nothing is: $(since)"
	progress "$1: something is evicted"
	systemctl set-property --runtime thrash.slice MemoryMax=112M
	systemd-run -q --unit=loop --slice=thrash.slice bash -c \
		"exec 3<'$disk'; while cat '$disk' >/dev/null; do :; done" # what is closed is not cached
	wait_long 300 thrashes || fail "it does not thrash: $(refaults) refaults"
	progress "$1: it thrashes"
	mark
	wait_long 600 is_cut 3 || fail "no write met its deadline: $(since)"
	wait_in_kernel lru_gen_seq_write
	stop_within_a_second
	since | grep "^$cold"
	systemctl stop loop cold
	longest=$(field WRITE_MOST_USEC) late=$(field WRITE_LATE_MOST_USEC)
	lag=$(field LOOP_LAG_P99_USEC)
	batch=$(longest_batch_usec)
	cp "$tracing/trace" "trace.$1"
	: >"$tracing/trace"
	echo "$1: the longest write took $longest us, $late us more than its deadline at most; the" \
		"kernel's longest batch: $batch us; the loop's lag: $lag us at p99," \
		"$(field LOOP_LAG_MOST_USEC) us once"
	((longest > deadline_usec)) || fail "no write met its deadline"
	((late <= batch + wake_usec + $(field LOOP_LAG_MOST_USEC))) ||
		fail "a write went on for $late us after its deadline, a batch takes $batch us"
	((lag < 50000)) || fail "the loop was late by $lag us"
}

swapoff /dev/zram0
swap=$(null_disk slow-swap 256 "$page_usec" hw_queue_depth=1 max_sectors=8)
disk=$(null_disk slow-disk 64 1000 memory_backed=0)
echo 0 >"/sys/block/${disk#/dev/}/queue/read_ahead_kb"
mkswap -q "$swap"
swapon "$swap"
swappiness=$(sysctl -n vm.swappiness)
sysctl -q vm.swappiness=0 # what goes to swap is for the agent to say
trace_batches
for ring in io_uring threads; do
	thrash "$ring"
done
echo nop >"$tracing/current_tracer"
sysctl -q "vm.swappiness=$swappiness"
swapoff "$swap"
systemctl stop thrash.slice
rmdir /sys/kernel/config/nullb/slow-{swap,disk}
swapon --discard /dev/zram0
rm "$dropins/70-thrash.conf"
systemctl start fgreclaimd
is_unharmed
