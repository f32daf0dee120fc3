# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # for `run` and run-workload.sh
# What the workloads with a database and files read once share. They set DATABASE_MIB, FILES, FILE_KIB,
# IMAGE_MIB, and what they give to lookups.c.
DATA=$BENCH/data

on_host() {
	local demo=$VM/demo
	"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Werror -static -I"$demo" -o "$1/in/bin/lookups" \
		"$HERE/workloads/lookups.c" "$demo"/{items,workload}.c -lsqlite3 -lm 2>"$1/build.log" ||
		{ cat "$1/build.log" >&2; return 1; }
	ln -s "$("$demo/data-image" "$IMAGE_MIB" --database-mib "$DATABASE_MIB" --files "$FILES" \
		--file-kib "$FILE_KIB")" "$1/disks/0"
}

prepare() { slow_disk "$(disk disk0)" "$DATA" "$LATENCY_US"; }

look_up() { lookups --seed "$SEED" --slow "$LATENCY_US" "$@" "$DATA/hot.db" "$DATA/files"; }

warm() { look_up --hot "$HOT"; }

result() { cat "$BENCH/out/lookups"; }
