# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # for `run` and run-workload.sh
# What the workloads by fio share: buffered reads of 4 KiB, in a file (here a device) of 2.5 times the
# limit. They set DISTRIBUTION.
OPERATION=reads LIMIT_MIB=64 GUEST_MIB=900 MINUTES=3 LATENCY_US=400
FILE_MIB=$((LIMIT_MIB * 5 / 2)) WARM_S=20 MEASURE_S=40

on_host() { :; }

prepare() {
	null_disk data "$FILE_MIB" "$LATENCY_US" memory_backed=0
	read_some --runtime=1 --output=/dev/null # what fio itself maps is charged to others from here on
	blockdev --flushbufs /dev/data
}

read_some() {
	fio --name=load --filename=/dev/data --size="${FILE_MIB}m" --rw=randread --bs=4k --ioengine=psync \
		--thread --norandommap --random_distribution="$DISTRIBUTION" --randseed="$SEED" \
		--time_based --output-format=terse --terse-version=3 --percentile_list=50:90:95:99:99.9 "$@"
}

warm() {
	read_some --ramp_time="$WARM_S" --runtime="$MEASURE_S" --output="$BENCH/out/fio" &
	sleep "$WARM_S"
}

measured() { wait; }

# Fields of the terse output, version 3: 6 KiB read, 8 operations a second, 9 milliseconds, 16 the mean
# and 18 on the percentiles of the completion latency, as PERCENT%=MICROSECONDS.
result() {
	awk -F ';' '
		{
			printf "ops=%d\nops_per_second=%.1f\nseconds=%.3f\nmean_us=%s\n", $6 / 4, $8, $9 / 1000, $16
			for (i = 18; i < 23; i++) {
				split($i, part, "%=")
				name = part[1] + 0
				sub(/\./, "", name)
				printf "p%s_us=%d\n", name, part[2]
			}
		}' "$BENCH/out/fio"
}
