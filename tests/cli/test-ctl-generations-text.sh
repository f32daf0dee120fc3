#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl generations for people: golden output, which cgroup is meant, and what there is to say
# when a listing is not all that it could be.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

debug=sys/kernel/debug

# As it was looked at by a person once. Sizes in bytes depend on the page size.
if [ "$(getconf PAGESIZE)" -eq 4096 ]; then
	for name in 6.7-mongodb-seed004-a.lru_gen_full synthetic-6.1.lru_gen_full \
		synthetic-damaged.lru_gen; do
		listing_tree "$srcdir/tests/fixtures/listings/$name"
		run_ctl 0 --root="$tree" generations
		is_empty err
		diff -u "$srcdir/tests/cli/golden/generations-$name.txt" "$tmp/out" >"$tmp/err" ||
			fail "not the golden output of $name"
	done
fi

new_tree
run_ctl 0 --root="$tree" generations
has_once out "/system.slice/mongod.service: memcg 3, node 0"
has_once out "cold 60000 pages"
[ "$(grep -c "working set 4500 pages" "$tmp/out")" -eq 7 ] || fail "not seven cgroups"
has out " 900.000 s "
is_empty err
lacks out "TIER"

# one NAME PATH: NAME means PATH, and it alone is shown.
one()
{
	run_ctl 0 --root="$tree" generations "$1"
	is_empty err
	has_once out ": memcg "
	has_once out "$2: memcg "
}
one / /
one /system.slice /system.slice
one /system.slice/mongod.service /system.slice/mongod.service
one /system.slice/mongod.service/ /system.slice/mongod.service
one mongod.service /system.slice/mongod.service
one system.slice/mongod.service /system.slice/mongod.service
one 'nginx:web server\x2d1.service' '/system.slice/nginx:web server\x2d1.service'
one user.slice /user.slice

# none NAME: no cgroup is that.
none()
{
	run_ctl 1 --root="$tree" generations "$1"
	is_empty out
	has_once err "no cgroup \"$1\" is listed"
}
none mongod
none god.service
none /mongod.service
none /system.slice/mongod.service/x
none slice/mongod.service
none ''

sed -i 's|^memcg     6 .*|memcg     6 /user.slice/mongod.service|' "$tree/$debug/lru_gen_full"
run_ctl 1 --root="$tree" generations mongod.service
is_empty out
has_once err 'more than one cgroup is "mongod.service"'
has_once err /system.slice/mongod.service
has_once err /user.slice/mongod.service

# What is not there is said.
new_tree
rm "$tree/$debug/lru_gen_full"
run_ctl 0 --root="$tree" generations
has_once err "no tiers"
has_once out "/system.slice/mongod.service: memcg 3, node 0"
echo 0x0000 >"$tree/sys/kernel/mm/lru_gen/enabled"
run_ctl 0 --root="$tree" generations
has_once err "switched off"
rm "$tree/$debug/lru_gen"
run_ctl 1 --root="$tree" generations --json
is_empty out
has_once err "$debug/lru_gen: No such file"
new_tree
echo "no listing" >"$tree/$debug/lru_gen_full"
run_ctl 1 --root="$tree" generations
is_empty out
has_once err "no listing of generations"
: >"$tree/$debug/lru_gen_full"
run_ctl 0 --root="$tree" generations
has_once out "no memcg is listed"
rm "$tree/$debug/lru_gen_full"
mkdir "$tree/$debug/lru_gen_full"
run_ctl 0 --root="$tree" generations
has_once err "lru_gen_full: Is a directory"
has_once out "/system.slice/mongod.service: memcg 3, node 0"

# A name that is a terminal's command.
listing_tree /dev/null
printf 'memcg     2 /a\033[2J\302\233\n node     0\n%s\n%s\n' \
	"          1       2000          0           0 " \
	"          2       1000          1          10 " >"$tree/$debug/lru_gen_full"
run_ctl 0 --root="$tree" generations
has_once out '/a\x1b[2J\xc2\x9b: memcg 2, node 0'
