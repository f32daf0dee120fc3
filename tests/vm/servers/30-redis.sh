#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Redis with keys of which a tenth is in use; it forks to save all of them while it is written to, and
# leaves a file that is read at the next start.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=servers-lib.sh
source "$IN/servers-lib.sh"

keys=20000 # of some 4 KiB
hot_keys=2000

query() {
	[[ $(ask "EVAL 'local n = 0 for i = 1, ARGV[1] do n = n + #redis.call(\"getrange\", i, -1, -1) end return n' 0 $hot_keys") == \
		"$hot_keys" ]] || fail "keys are missing"
}

# put FIRST LAST
put() {
	[[ $(ask "EVAL 'for i = ARGV[1], ARGV[2] do redis.call(\"set\", i, string.rep(redis.sha1hex(i):sub(1, 40), 100)) end return 1' 0 $1 $2") == 1 ]] ||
		fail "cannot write"
}

saved() { redis-cli INFO persistence | grep -q '^rdb_bgsave_in_progress:0'; }

install_agent
begin redis-server.service 288M /var/lib/redis
cat >>/etc/redis/redis.conf <<-'END'
	rdbcompression no
	save ""
END
start_afresh
session redis-cli
progress "filling"
for ((first = 1; first < keys; first += 500)); do
	put "$first" "$((first + 499))"
done
hot_queries 12 5 warm
hot_queries 8 5 micros.before
count before
is_of_class redis

progress "a save, under writes"
[[ $(ask BGSAVE) == 'Background saving started' ]] || fail "it does not save"
puts=0
while ! saved; do
	first=$((puts * 500 % keys + 1))
	put "$first" "$((first + 499))"
	((++puts < 1000)) || fail "the save takes for ever"
done
redis-cli INFO persistence | grep '^rdb_last_bgsave_status:ok' || fail "the save failed"
ls -l /var/lib/redis
count dumped
hot_queries 24 10 micros.after
count after

before=$(median micros.before) after=$(median micros.after)
read_once=$(($(file_bytes dumped) - $(file_bytes before)))
given_back=$(($(file_bytes dumped) - $(file_bytes after)))
figures "redis: hot query $before us before, $after us after; a save under $((puts * 500)) writes;" \
	"$(grown pgmajfault) major faults, $(cg_read "$cg" memory.swap.current) bytes in swap;" \
	"the save left $(mib "$read_once") of file, $(mib "$given_back") were given back"
is_kept "$before" "$after"
is_given_back "$read_once" "$given_back"
is_left_in_memory
is_within_limit
is_quiet
