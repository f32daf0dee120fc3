#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl list: what would be decided about each cgroup, and nothing done.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

new_tree
mkdir -p "$tree/etc/fgreclaim"
conf=$tree/etc/fgreclaim/fgreclaimd.conf
printf '[Agent]\nDryRun=no\n[Class db]\nMatch=/**/mongod.service\n[Class rest]\nMatch=/user.slice/**\n' \
	>"$conf"
fingerprint "$tree" >"$tmp/before"

run_ctl 0 --root="$tree" list
is_empty err
has_once out "capability: tiers"
grep -qE '^ *802M +17\.5M +234M +0\.0 +0\.0  db +/system\.slice/mongod\.service: ' "$tmp/out" ||
	fail "not the database's row"
grep -qE ' rest +/user\.slice/user-1000\.slice: ' "$tmp/out" || fail "no second class"
grep -qE ' - +/system\.slice: watched only: no class' "$tmp/out" || fail "a class for all"
has_once out " /init.scope: never touched"
has_once out 'nginx:web server\x2d1.service: '
[ "$(wc -l <"$tmp/out")" -eq $((3 + $(find "$tree/sys/fs/cgroup" -type d | wc -l))) ] ||
	fail "not one line a cgroup"
lacks out "$conf"
run_ctl 0 --root="$tree" list --why
has_once out "$conf:4"
has_once out "$conf:6"
has out "no Match= fits"

lacks out "no cgroup belongs"
if command -v python3 >/dev/null; then
	run_ctl 0 --root="$tree" list --json
	is_empty err
	has out '"waiting_classes":[]'
	python3 -m json.tool "$tmp/out" >/dev/null || fail "no JSON"
	python3 "$srcdir/tests/cli/check-json.py" list "$tmp/out" / - - /init.scope - - \
		/system.slice/mongod.service db "$conf:4" \
		/user.slice/user-1000.slice rest "$conf:6" 2>"$tmp/err" ||
		fail "not the JSON that is promised"
	has out '"current_bytes":840957952,"working_set_bytes":18432000,"cold_bytes":245760000,'
	# The root has no memory.current; a recording has no age.
	grep -q '"path":"/",.*"current_bytes":null,.*"age_ms":null' "$tmp/out" || fail "no nulls"
	lacks out '"age_ms":0'
fi
fingerprint "$tree" | cmp - "$tmp/before" || fail "the tree has changed"

# Removed cgroups that are not gone: not known, none, some.
run_ctl 0 --root="$tree" list
lacks out dying
printf 'nr_descendants 6\nnr_dying_descendants 0\n' >"$tree/sys/fs/cgroup/cgroup.stat"
run_ctl 0 --root="$tree" list
lacks out dying
printf 'nr_descendants 6\nnr_dying_descendants 2012\n' >"$tree/sys/fs/cgroup/cgroup.stat"
printf 'nr_descendants 2\nnr_dying_descendants 7\n' >"$tree/sys/fs/cgroup/system.slice/cgroup.stat"
for verb in list generations; do
	run_ctl 0 --root="$tree" $verb
	has_once out "2012 dying cgroups: "
done
run_ctl 0 --root="$tree" generations --json
has out '"dying_descendants":2012'
run_ctl 0 --root="$tree" list --json
grep -q '"path":"/",.*"dying_descendants":2012' "$tmp/out" || fail "not those of the root"
grep -q '"path":"/system.slice",.*"dying_descendants":7' "$tmp/out" || fail "not those of a slice"
grep -q '"path":"/user.slice",.*"dying_descendants":null' "$tmp/out" || fail "a number from nowhere"

# A class waits for a cgroup that is not there yet, or has no Match= at all.
cat "$conf" >"$tmp/conf"
printf '[Class mail]\nMatch=unit:postfix@*.service\nMatch=/mail/*\n[Class none]\nWeight=1\n' >>"$conf"
run_ctl 0 --root="$tree" list
has_once out "class mail: no cgroup belongs to it yet, see $conf:8"
has_once out "class none: no cgroup belongs to it, it has no Match="
[ "$(grep -cF "no cgroup belongs" "$tmp/out")" -eq 2 ] || fail "others wait too"
run_ctl 0 --root="$tree" list --json
tr -d '\n' <"$tmp/out" | grep -qF '"waiting_classes":["mail","none"]' || fail "not these two wait"
mkdir -p "$tree/sys/fs/cgroup/mail/a"
for file in "$tree/sys/fs/cgroup/mail/memory.current" "$tree/sys/fs/cgroup/mail/a/memory.current"; do
	echo 4096 >"$file"
done
run_ctl 0 --root="$tree" list --why
lacks out "class mail: no cgroup"
grep -A1 -E ' mail +/mail/a: ' "$tmp/out" | grep -qF "$conf:9" || fail "not the line of the second glob"
rm -r "$tree/sys/fs/cgroup/mail"
cat "$tmp/conf" >"$conf"

# A class that the cgroup asks for itself: followed if that lowers what is done to it.
db=$tree/sys/fs/cgroup/system.slice/mongod.service
printf '[Class keep]\nReclaim=none\n[Class low]\nWeight=1\n' >>"$conf"
ask()
{
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.fgreclaim.class", sys.argv[2].encode())' \
		"$db" "$1" 2>/dev/null
}
if ask keep; then
	run_ctl 0 --root="$tree" list --why
	has_once out "user.fgreclaim.class=keep"
	grep -qE ' keep +/system\.slice/mongod\.service: ' "$tmp/out" || fail "not the class asked for"
	ask low
	run_ctl 0 --root="$tree" list --why
	has_once out "user.fgreclaim.class=low, not followed: it would raise Weight="
	grep -qE ' db +/system\.slice/mongod\.service: ' "$tmp/out" || fail "raised from inside"
	run_ctl 0 --root="$tree" list --json
	has_once out '"asked_class":"low","asked_class_refused":"Weight"'
	ask ''
fi
cat "$tmp/conf" >"$conf"

# Unknown is never zero: without a listing, and without memory.stat.
rm "$tree/sys/kernel/debug/lru_gen" "$tree/sys/fs/cgroup/system.slice/mongod.service/memory.stat"
run_ctl 0 --root="$tree" list
grep -qE '^ *802M +- +- +- +-  db +/system' "$tmp/out" || fail "something where nothing is known"
run_ctl 0 --root="$tree" list --json
grep mongod.service "$tmp/out" | grep -qF '"working_set_bytes":null,"cold_bytes":null,"refaults_per_second":{"anon":null,"file":null}' ||
	fail "numbers where nothing is known"

echo 'Nonsense=1' >>"$conf"
run_ctl 78 --root="$tree" list
is_empty out
has_once err "$conf:7"
# The others need no configuration.
run_ctl 0 --root="$tree" features
run_ctl 0 --root="$tree" generations

rm "$conf"
rm -r "$tree/sys/fs/cgroup"
run_ctl 1 --root="$tree" list --json
is_empty out
has_once err "cgroup"
