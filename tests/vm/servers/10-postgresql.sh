#!/bin/bash
# SPDX-License-Identifier: MIT
#
# PostgreSQL with a working set larger than shared_buffers, so that the page cache below is in use, and
# a dump of a table of three times that.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=servers-lib.sh
source "$IN/servers-lib.sh"

rows=52000 # of some 2 KiB
hot_rows=16000
postgres() { runuser -u postgres -- "$@"; }

query() {
	local first=$(($1 % 4 * hot_rows / 4))
	[[ $(ask "SELECT count(payload) FROM item WHERE id > $first AND id <= $first + $hot_rows / 4;") == \
		"$((hot_rows / 4))" ]] || fail "rows are missing"
}

install_agent
begin postgresql@15-main.service 224M /var/lib/postgresql
cat >/etc/postgresql/15/main/conf.d/small.conf <<-'END'
	shared_buffers = 20MB
	wal_level = minimal
	max_wal_senders = 0
END
systemctl start "$unit"
progress "filling"
postgres psql -q -v ON_ERROR_STOP=1 <<-END
	CREATE TABLE item AS
		SELECT id, repeat(md5(id::text), 58) AS payload FROM generate_series(1, $rows) id;
	ALTER TABLE item ADD PRIMARY KEY (id);
	VACUUM (FREEZE, ANALYZE) item;
END

start_afresh
session runuser -u postgres -- psql -Atq
# Connections that have done something and now wait hold memory of their own.
for n in {1..6}; do
	(echo '\d+ item'; exec sleep infinity) | postgres psql -q >"connection.$n" &
done
hot_queries 12 5 warm
hot_queries 8 5 micros.before
count before
is_of_class postgresql

progress "a dump"
postgres pg_dump -t item | wc -c
count dumped
hot_queries 132 5 micros.after
count after

judge_database postgresql
