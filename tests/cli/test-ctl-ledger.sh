#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl list, explain and report as a running daemon answers them, and as anybody may ask; and
# without one.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"
. "$srcdir/tests/cli/bus.sh"

requires busctl --version
requires python3 --version

new_tree
conf=$tmp/x.conf
printf '[Agent]\nInterval=500ms\n[Class db]\nMatch=/**/mongod.service\nFloor=100M\n[Class none]\nWeight=1\n' \
	>"$conf"

# Nobody to be asked: list looks itself, the others say so.
for verb in "explain mongod.service" report; do
	# shellcheck disable=SC2086 # a verb and its cgroup
	run_ctl 1 $verb
	is_empty out
	has_once err "no system bus"
done
# Anybody may ask.
start_bus nobody
for verb in "explain mongod.service" report; do
	# shellcheck disable=SC2086 # a verb and its cgroup
	run_ctl 1 $verb
	is_empty out
	has_once err "fgreclaimd does not run"
done

# More cgroups than fit into one page of an answer.
i=0
while [ "$i" -lt 300 ]; do
	mkdir "$tree/sys/fs/cgroup/user.slice/a$i.scope"
	echo 8388608 >"$tree/sys/fs/cgroup/user.slice/a$i.scope/memory.current"
	i=$((i + 1))
done
start_agent agent
wait_for_looks 3
cgroups=$(json 's["cgroups"]')
[ "$cgroups" -gt 300 ] || fail "$cgroups cgroups"

run_ctl 0 list
is_empty err
has_once out "As fgreclaimd decided"
has_once out "class none: no cgroup belongs to it"
grep -qE '^ *802M .* db +/system\.slice/mongod\.service: ' "$tmp/out" || fail "not the database's row"
[ "$(grep -c 'a[0-9]*\.scope' "$tmp/out")" -eq 300 ] || fail "not all cgroups"
run_ctl 0 list --why
has_once out "$conf:4"
run_ctl 0 --json list
json_is 'true' 's["of_daemon"]'
json_is '["none"]' 's["waiting_classes"]'
json_is '[null]' 'list(set(c["dying_descendants"] for c in s["cgroups"]))'
json_is "$cgroups" 'len(set(c["path"] for c in s["cgroups"]))'
json_is "$cgroups" 'len(s["cgroups"])'
# Parents before their children, and each behind the one that it is next to.
json_is 'true' '[c["path"] for c in s["cgroups"]] == sorted((c["path"] for c in s["cgroups"]),
	key=lambda path: [part.encode() for part in path.split("/") if part])'
python3 "$srcdir/tests/cli/check-json.py" list "$tmp/out" / - - \
	/system.slice/mongod.service db "$conf:4" 2>"$tmp/err" || fail "not the JSON that is promised"
has out '"current_bytes":840957952,"working_set_bytes":18432000,"cold_bytes":245760000,'

run_ctl 0 explain mongod.service
is_empty err
has_once out "/system.slice/mongod.service (db): "
has out "; holds 802M, to be left 102M by Floor=; pages that come back: anon 0.0/s"
has_once out "class      by $conf:4"
has_once out "  holds      802M, at most"
run_ctl 0 --json explain /system.slice/mongod.service
json_is '"/system.slice/mongod.service"' 's["path"]'
json_is '"db"' 's["class"]'
json_is 840957952 's["current_bytes"]'
json_is 'true' 's["look_age_ms"] >= 0 and s["floor_bytes"] >= 100 << 20 and s["law"] is not None'
# What is not known is said to be, and is no number.
run_ctl 0 --json explain a7.scope
json_is '[null, null, null]' '[s["class"], s["law"], s["anon_refault_mpps"]]'
run_ctl 1 explain no-such.service
is_empty out
has_once err 'no cgroup "no-such.service"'

run_ctl 0 report
is_empty err
has_once out "dry run now: nothing is reclaimed"
has out "freed      0B of 0B asked for; 0B came back"
[ "$(grep -cE ' db +/system\.slice/mongod\.service$' "$tmp/out")" -eq 1 ] || fail "no row of the database"
lacks out ".scope"
has_once out "  estimate   would have freed "
has out "~FREED ~RETURNED"
# Each page once: the recording does not change, and what is cold in it is all there is.
for _ in $(seq 100); do
	run_ctl 0 --json report
	[ "$(json 's["totals"]["dry_freed_bytes"] > 0')" = true ] && break
	sleep 0.1
done
json_is 'true' '0 < s["cgroups"][0]["dry_freed_bytes"] <= 245760000'
json_is '[true, 0]' '[s["totals"]["dry_freed_bytes"] == s["cgroups"][0]["dry_freed_bytes"],
	s["totals"]["dry_returned_bytes"]]'
run_ctl 0 --json report --since=2h
json_is '["/system.slice/mongod.service"]' '[c["path"] for c in s["cgroups"]]'
json_is 'true' 's["totals"]["span_ms"] < 3600000 and s["totals"]["cpu_us"] > 0'
json_is '[1, 1, 0]' '[s["totals"]["dry_run"], s["totals"]["class_cgroups"], s["totals"]["freed_bytes"]]'
json_is '[0, 0, 0]' '[s["cgroups"][0][key] for key in ("writes", "out_bytes", "reclaim_cpu_us")]'

# No colour is meant for a file, and none for who wants none; a terminal gets some.
on_terminal()
{
	"$@" python3 -c 'import os, pty, sys
pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 65536))' "$FGRECLAIMCTL" list >"$tmp/out" 2>"$tmp/err" </dev/null
}
run_ctl 0 list
! grep -q "$(printf '\033')" "$tmp/out" || fail "colours in a file"
on_terminal env -u NO_COLOR TERM=xterm || fail "no list on a terminal"
grep -q "$(printf '\033')\[1m" "$tmp/out" || fail "no colours on a terminal"
on_terminal env NO_COLOR=1 TERM=xterm || fail "no list on a terminal"
! grep -q "$(printf '\033')" "$tmp/out" || fail "colours in spite of NO_COLOR"

# Whoever introspects sees what org.fgreclaim1(5) has.
busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" introspect org.fgreclaim1 /org/fgreclaim1 \
	org.fgreclaim1.Manager >"$tmp/out"
for method in "ListCgroups *method *t *a{sv}aa{sv}t" "ExplainCgroup *method *s *a{sv}" \
	"ReportCgroups *method *tt *a{sv}aa{sv}t"; do
	grep -qE "$method" "$tmp/out" || fail "not introspected: $method"
done
# Past the last one there is nothing, and no harm in asking.
busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" call org.fgreclaim1 /org/fgreclaim1 \
	org.fgreclaim1.Manager ListCgroups t 18446744073709551615 >"$tmp/out"
grep -qE ' 0 0$' "$tmp/out" || fail "something behind the last cgroup"

stop_agent "$agent"
agents=
# shellcheck disable=SC2034 # that of bus.sh
agent=
