#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl generations --json: every recorded listing, number by number, and what is not to be
# believed of one.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

requires python3 -c "import json"
debug=sys/kernel/debug

check()
{
	python3 -m json.tool "$tmp/out" >/dev/null || fail "no JSON: $*"
	python3 "$srcdir/tests/cli/check-json.py" generations "$tmp/out" "$@" 2>"$tmp/err" ||
		fail "not the JSON that is promised: $*"
}

# why TEXT [ARGUMENT...]: path=reason of each record of $tree, "ok" for a valid one.
why()
{
	reasons=$1
	shift
	run_ctl 0 --root="$tree" generations --json "$@"
	is_empty err
	check
	found=$(python3 -c '
import json, sys
print(*("%s=%s" % (r["path"], r["why"] or "ok") for r in json.load(sys.stdin)["records"]))' <"$tmp/out")
	[ "$found" = "$reasons" ] || fail "$found, not $reasons"
}

# Every listing there is, without a tree: numbers as listed; that of damaged ones, that it is said.
n=0
for listing in "$srcdir"/tests/fixtures/listings/*.lru_gen*; do
	listing_tree "$listing"
	run_ctl 0 --root="$tree" generations --json
	is_empty err
	case $listing in
	*/synthetic-damaged.*) check ;;
	*) check "$listing" ;;
	esac
	run_ctl 0 --root="$tree" generations
	[ -s "$tmp/out" ] || fail "nothing to read: $listing"
	n=$((n + 1))
done
[ "$n" -ge 20 ] || fail "$n listings"
listing_tree "$srcdir/tests/fixtures/listings/synthetic-damaged.lru_gen"
why "None=no-memcg /good=incomplete /good=bad-number /good=incomplete None=no-memcg None=no-memcg \
/gap=bad-sequence /gap=incomplete /huge=bad-number /empty=no-generations /empty=bad-line \
None=no-memcg /good-too=ok"

# record ID PATH NODE...
record()
{
	[ -z "$1" ] || printf 'memcg %5d %s\n' "$1" "$2"
	shift 2
	for node; do
		printf ' node %5d\n' "$node"
		printf ' %10d %10d %10d %10d \n' 4 900000 7 8 5 300000 1 2
	done
}

# Checked against the tree, as the daemon does: only what has a directory, once, and whole.
new_tree
rm "$tree/$debug/lru_gen"
mongod=/system.slice/mongod.service
record 1 / 0 1 >"$tree/$debug/lru_gen_full"
why "/=ok /=ok"
record 9 /no-such.slice 0 >>"$tree/$debug/lru_gen_full"
record 2 $mongod 0 >>"$tree/$debug/lru_gen_full"
why "/=ok /=ok /no-such.slice=no-such-cgroup $mongod=ok"
# A removed cgroup of the same name, which the kernel no longer has an id for, harms nobody.
record 0 $mongod 0 >>"$tree/$debug/lru_gen_full"
why "/=ok /=ok /no-such.slice=no-such-cgroup $mongod=ok $mongod=removed"
record 3 $mongod 0 >>"$tree/$debug/lru_gen_full"
why "$mongod=listed-twice $mongod=removed $mongod=listed-twice" $mongod
record 4 /user.slice 0 >>"$tree/$debug/lru_gen_full"
record "" "" 0 >>"$tree/$debug/lru_gen_full"
why "/user.slice=strayed" user.slice
record 5 /user.slice 0 >"$tree/$debug/lru_gen_full"
printf ' node     1\n          4 ' >>"$tree/$debug/lru_gen_full"
why "/user.slice=incomplete /user.slice=torn"
: >"$tree/$debug/lru_gen_full"
why ""
# Without a tree a path that is there twice is still one too many, and one that is not known unknown.
listing_tree /dev/null
{ record 2 /a 0; record 3 /b 0; record 4 /a 0 1; record 5 "" 0; } >"$tree/$debug/lru_gen_full"
why "/a=listed-twice /b=ok /a=listed-twice /a=listed-twice =no-such-cgroup"

# Bytes that are no UTF-8, and control characters.
printf 'memcg     2 /a\033\377\300\200\355\240\200\n' >"$tree/$debug/lru_gen_full"
record "" "" 0 >>"$tree/$debug/lru_gen_full"
run_ctl 0 --root="$tree" generations --json
check
has out '"path":"/a\u001B\\xff\\xc0\\x80\\xed\\xa0\\x80"'
# A number that JSON programs cannot hold is none.
record 2 /a 0 | sed 's/ 7 / 9300000000000000000 /' >"$tree/$debug/lru_gen_full"
run_ctl 0 --root="$tree" generations --json
check
has out '"anon_pages":null,"file_pages":8'
