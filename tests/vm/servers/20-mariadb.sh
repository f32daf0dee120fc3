#!/bin/bash
# SPDX-License-Identifier: MIT
#
# MariaDB with a buffer pool of which a quarter is in use, a binary log, and a table of MyISAM that a
# dump reads through the page cache.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=servers-lib.sh
source "$IN/servers-lib.sh"

rows=10000 # of some 4 KiB
hot_rows=2000

# Reads the half of the hot rows, and writes to a few of them.
query() {
	local first=$(($1 % 2 * hot_rows / 2))
	[[ $(ask "SELECT SUM(LENGTH(payload) > 0) FROM item WHERE id > $first AND id <= $first + $hot_rows / 2;") == \
		"$((hot_rows / 2))" ]] || fail "rows are missing"
	echo "UPDATE item SET n = n + 1 WHERE id > $first AND id <= $first + 50;" >&"$to_client"
}

install_agent
begin mariadb.service 320M /var/lib/mysql
cat >/etc/mysql/mariadb.conf.d/99-small.cnf <<-'END'
	[mariadbd]
	innodb_buffer_pool_size = 48M
	key_buffer_size = 4M
	aria_pagecache_buffer_size = 4M
	log_bin = binlog
END
systemctl start "$unit"
progress "filling"
mariadb <<-END
	CREATE DATABASE test;
	SET SESSION sql_log_bin = 0;
	USE test
	CREATE TABLE item (id INT PRIMARY KEY, n INT, payload VARCHAR(4000)) ENGINE=InnoDB;
	INSERT INTO item SELECT seq, 0, REPEAT(MD5(seq), 125) FROM seq_1_to_$rows;
	CREATE TABLE archive (id INT PRIMARY KEY, payload VARCHAR(4000)) ENGINE=MyISAM;
	INSERT INTO archive SELECT seq, REPEAT(MD5(seq), 125) FROM seq_1_to_18000;
END

start_afresh
session mariadb -N -B -n test
hot_queries 12 5 warm
mariadb -e 'SELECT COUNT(payload) FROM test.item' >/dev/null # the buffer pool is full now
hot_queries 8 5 micros.before
count before
is_of_class mariadb

progress "a dump"
mysqldump test archive | wc -c
count dumped
hot_queries 30 10 micros.after
count after

judge_database mariadb
