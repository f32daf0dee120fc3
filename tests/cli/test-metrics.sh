#!/bin/sh
# SPDX-License-Identifier: MIT
# Textfile= and TopMemcgs=: what Prometheus reads is whole, well formed and bounded.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"
requires python3 -c 'import json'

new_tree
conf=$tmp/conf
metrics=$tmp/metrics.prom
odd="$tree/sys/fs/cgroup/system.slice/od\"d:x\\y.service"
cp -r "$tree/sys/fs/cgroup/system.slice/mongod.service" "$odd"
printf '[Agent]\nInterval=500ms\n[Metrics]\nTextfile=%s\nTopMemcgs=3\n[Class db]\nMatch=/**/mongod.service\n[Class rest]\nMatch=/**\n' \
	"$metrics" >"$conf"

# start: a daemon with this configuration.
start()
{
	"$FGRECLAIMD" --root="$tree" --config="$conf" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	cleanup_fn "kill $pid 2>/dev/null"
}

stop()
{
	kill "$pid"
	wait "$pid" || fail "the daemon did not end well"
}

umask 077
start
wait_for metrics.prom 'fgreclaimd_tick_duration_seconds_count 3'
stop
python3 "$srcdir/tests/cli/check-metrics.py" "$metrics" "$srcdir/conf/grafana-fgreclaimd.json" \
	"$srcdir/conf/prometheus-fgreclaimd.yml" >"$tmp/out" 2>"$tmp/err" || fail "not as promised"
[ "$(stat -c %a "$metrics")" = 644 ] || fail "not for node_exporter to read"
[ ! -e "$metrics.new" ] || fail "something is left over"
cp "$metrics" "$tmp/out"
has_once out 'fgreclaimd_class_memcgs{class="db"} 1'
has_once out 'fgreclaimd_held_bytes{class="db"} 840957952'
has_once out 'fgreclaimd_memcg_held_bytes{cgroup="/system.slice/mongod.service"} 840957952'
has_once out 'fgreclaimd_memcg_held_bytes{cgroup="/system.slice/od\"d:x\\y.service"} 840957952'
[ "$(grep -c '^fgreclaimd_memcg_held_bytes' "$tmp/out")" -eq 3 ] || fail "not the three largest"
grep -qx 'fgreclaimd_dry_run 1' "$tmp/out" || fail "a dry run is none"
if command -v promtool >/dev/null; then
	promtool check metrics <"$metrics" || fail "promtool does not like it"
	promtool check rules "$srcdir/conf/prometheus-fgreclaimd.yml" || fail "nor the rules"
fi

# A directory that is not there: said once, and nothing else happens.
sed "s|^Textfile=.*|Textfile=$tmp/nowhere/x.prom|" "$conf" >"$tmp/other"
cp "$tmp/other" "$conf"
start
wait_for err "nowhere/x.prom: No such file or directory"
sleep 1.5
stop
has_once err "nowhere/x.prom"

# None unless asked for.
rm "$metrics"
sed -i '/^Textfile=/d' "$conf"
start
wait_for err "watching"
stop
[ ! -e "$metrics" ] || fail "metrics that nobody wanted"
