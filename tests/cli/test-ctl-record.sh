#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fixtures/record: a recording shows what the host shows; renamed, it shows nobody's names.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

script=$srcdir/tests/fixtures/record
cgroups=sys/fs/cgroup

# record STATUS ARGUMENT...: with each shell that is there.
record()
{
	wanted=$1
	shift
	status=0
	$shell "$script" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" -eq "$wanted" ] || fail "$shell: exit $status, not $wanted: $*"
	is_empty out
}

# shown DIR: what fgreclaimctl says of it; cgroup ids are inodes, which differ.
shown()
{
	for verb in features list generations; do
		run_ctl 0 --root="$1" $verb --json
		sed 's/"id":[0-9]*,//' "$tmp/out"
	done
}

new_tree
: >"$tree/$cgroups/system.slice/cgroup.kill"
echo 12345 >"$tree/$cgroups/system.slice/cgroup.procs"
mkdir -p "$tree/sys/block/vda/queue" "$tree/sys/block/zram0/queue"
echo 1 >"$tree/sys/block/vda/queue/rotational"
echo 0 >"$tree/sys/block/zram0/queue/rotational"
echo "4096 64 12288 0 12288 0 0 0 0" >"$tree/sys/block/zram0/mm_stat"
echo "pgscan_direct 7" >"$tree/proc/vmstat"
echo 'ffffffff81234560 t folio_inc_lru_refs' >>"$tree/proc/kallsyms"
echo 1000 >"$tree/sys/kernel/mm/lru_gen/min_ttl_ms"
# A cgroup that is in the listing only, the same name at two places, and a dash in front.
mkdir "$tree/$cgroups/user.slice/-dash b"
cp "$tree/$cgroups/init.scope/"* "$tree/$cgroups/user.slice/-dash b"
cp -r "$tree/$cgroups/system.slice/mongod.service" "$tree/$cgroups/user.slice/mongod.service"
for name in lru_gen lru_gen_full; do
	{
		sed 's|^memcg     5 .*|memcg     5 /gone.slice/mongod.service|' "$tree/sys/kernel/debug/$name"
		printf 'memcg     0 \n node     0\n'
		printf ' %10d %10d %10d %10d \n' 4 9 7 8 5 3 1 2
	} >"$tmp/listing"
	mv "$tmp/listing" "$tree/sys/kernel/debug/$name"
done
fingerprint "$tree" >"$tmp/before"
shown "$tree" >"$tmp/wanted"

for shell in sh dash bash "busybox sh"; do
	# shellcheck disable=SC2086
	$shell -c : 2>/dev/null || continue
	rm -rf "$tmp/plain" "$tmp/renamed"
	record 0 --root="$tree" "$tmp/plain"
	is_empty err
	shown "$tmp/plain" | diff -u "$tmp/wanted" - >"$tmp/err" || fail "the recording differs"
	for file in proc/vmstat proc/pressure/memory sys/block/vda/queue/rotational \
		sys/block/zram0/mm_stat sys/kernel/mm/lru_gen/min_ttl_ms \
		"$cgroups/user.slice/-dash b/memory.stat" $cgroups/system.slice/io.pressure; do
		cmp "$tree/$file" "$tmp/plain/$file" || fail "$file differs"
	done
	[ -f "$tmp/plain/$cgroups/init.scope/memory.reclaim" ] || fail "no memory.reclaim"
	[ ! -e "$tmp/plain/$cgroups/system.slice/cgroup.procs" ] || fail "process numbers"
	[ ! -e "$tmp/plain/.record" ] || fail "left something behind"
	grep -q '^0* t folio_inc_lru_refs$' "$tmp/plain/proc/kallsyms" || fail "an address"

	record 0 --rename --root="$tree" "$tmp/renamed"
	is_empty err
	! grep -rqE 'system\.slice|mongod|nginx|user-1000|gone|dash' "$tmp/renamed" || fail "a name"
	! find "$tmp/renamed/$cgroups" -mindepth 1 -type d ! -name init.scope |
		grep -qvE '/cgroup(/c[0-9]+)+$' || fail "a folder's name"
	[ -d "$tmp/renamed/$cgroups/init.scope" ] || fail "no init.scope"
	# The same but for the names, and the same name the same.
	names='s/"path":"[^"]*"/"path":"?"/; s/"name":"[^"]*","kind":"[^"]*"/"name":"?"/; s/of \/[^:]*:/of ?:/; s/"match":[^,]*,/"match":?,/; s/,$//'
	sed "$names" "$tmp/wanted" | sort >"$tmp/wanted-names"
	shown "$tmp/renamed" | sed "$names" | sort | diff -u "$tmp/wanted-names" - >"$tmp/err" ||
		fail "the renamed recording differs"
	[ "$(find "$tmp/renamed/$cgroups" -type d | grep -c .)" -eq \
		"$(find "$tree/$cgroups" -type d | grep -c .)" ] || fail "not as many folders"
	# mongod.service, in the tree twice and once in a folder that is gone.
	mongod=$(awk '/^memcg +3 / { sub(".*/", ""); print }' "$tmp/renamed/sys/kernel/debug/lru_gen")
	[ "$(find "$tmp/renamed/$cgroups" -type d -name "$mongod" | grep -c .)" -eq 2 ] ||
		fail "mongod.service has more than one name"
	grep -qE "^memcg +5 /c[0-9]+/$mongod\$" "$tmp/renamed/sys/kernel/debug/lru_gen" ||
		fail "mongod.service has another name in the listing"
	grep -qE '^memcg +1 /$' "$tmp/renamed/sys/kernel/debug/lru_gen" || fail "no root"
done
fingerprint "$tree" | cmp - "$tmp/before" || fail "the host has changed"

shell='sh'
record 2
record 2 --no-such-option "$tmp/x"
record 2 "$tmp/x" "$tmp/y"
[ ! -e "$tmp/x" ] || fail "made a folder all the same"
record 1 --root="$tree" "$tmp/plain"
has_once err "not empty"
record 1 --root="$tree" /sys/kernel

# Cgroups that vanish while they are recorded: a cat that removes them.
mkdir "$tmp/bin"
cat >"$tmp/bin/cat" <<WRAPPER
#!/bin/sh
case \$1 in
*/nginx*) rm -rf "$tree/$cgroups/system.slice/nginx"* ;;
*/user.slice/memory.low) rm -rf "$tree/$cgroups/user.slice" ;;
esac
exec $(command -v cat) "\$@"
WRAPPER
chmod +x "$tmp/bin/cat"
rm -rf "$tmp/plain"
(
	PATH=$tmp/bin:$PATH
	record 0 --root="$tree" "$tmp/plain"
)
[ ! -e "$tree/$cgroups/user.slice" ] || fail "nothing has vanished"
[ -z "$(find "$tmp/plain/$cgroups" -name 'nginx*' -o -name '*user*')" ] || fail "half a cgroup"
[ -s "$tmp/plain/$cgroups/system.slice/mongod.service/memory.stat" ] || fail "not the others"

# A host with nothing of it.
mkdir "$tmp/nothing"
record 0 --root="$tmp/nothing" "$tmp/of-nothing"
has_once err "no listing"
run_ctl 0 --root="$tmp/of-nothing" features
has_once out "capability: observe"
