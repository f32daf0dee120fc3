#!/bin/sh
# SPDX-License-Identifier: MIT
# Trees recorded from real kernels (tests/vm/record): all that is shown of them is what they hold.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

requires python3 -c "import json"

# run_json VERB: its JSON is in $tmp/VERB.
run_json()
{
	run_ctl 0 --root="$tree" "$1" --json
	is_empty err
	python3 -m json.tool "$tmp/out" >/dev/null || fail "$kind: $1: no JSON"
	mv "$tmp/out" "$tmp/$1"
}

# What fgreclaimctl says of $tree against its files.
check_tree()
{
	python3 - "$tree/sys/fs/cgroup" "$tmp" "$walk" "$stats" 2>"$tmp/err" <<'END'
import json
import os
import sys

PAGE = 4096
MIB = 1 << 20
# Pages wait in a batch of 31 before they are on a list, and are counted by 64; one processor.
SLACK = 31 + 64
# They grew by what was recorded, while it was.
RECORDER = ("/", "/harness.slice", "/harness.slice/test-life.service")

cgroups, tmp, walk, stats = sys.argv[1:]


def load(verb):
    with open(f"{tmp}/{verb}", encoding="utf-8") as file:
        return json.load(file)


def read_stat(path):
    with open(f"{cgroups}{path}/memory.stat", encoding="ascii") as file:
        return {key: int(value) for key, value in map(str.split, file)}


def fail(text):
    sys.exit(text)


paths = {"/" + os.path.relpath(folder, cgroups).removeprefix(".")
         for folder, _, _ in os.walk(cgroups)}
generations, rows, features = load("generations"), load("list")["cgroups"], load("features")
rows = {row["path"]: row for row in rows}
records = {record["path"]: record for record in generations["records"] if record["memcg_id"]}

if features["capability"] != "tiers":
    fail(f"capability {features['capability']}")
if generations["layout"] != {"tiers": True, "walk": walk}:
    fail(f"layout {generations['layout']}")
if rows.keys() != paths or records.keys() != paths:
    fail(f"{len(paths)} cgroups, {len(rows)} rows, {len(records)} records")

# A record is of the cgroup alone, memory.stat of all below it, too, and of those that are gone.
sums = {path: {"anon": 0, "file": 0} for path in paths}
for record in generations["records"]:
    path = record["path"]
    if record["why"] != (None if record["memcg_id"] else "removed"):
        fail(f"{path}: {record['why']}")
    above = {"/", path} | {path[:i] for i, byte in enumerate(path) if byte == "/" and i > 0}
    for name in above & paths:
        for kind in "anon", "file":
            sums[name][kind] += sum(gen[f"{kind}_pages"] or 0 for gen in record["generations"])
compared = 0
for path in sorted(paths.difference(RECORDER)):
    stat = read_stat(path)
    for kind in "anon", "file":
        there = (stat[f"inactive_{kind}"] + stat[f"active_{kind}"]) // PAGE
        compared += there > 0
        if abs(sums[path][kind] - there) > SLACK:
            fail(f"{path}: {sums[path][kind]} pages of {kind} are listed, {there} are there")
    with open(f"{cgroups}{path}/memory.current", encoding="ascii") as file:
        if rows[path]["current_bytes"] != int(file.read()):
            fail(f"{path}: {rows[path]['current_bytes']} is not memory.current")
if compared < 15:
    fail(f"only {compared} sums compared")

# The service that uses a quarter of its 40 MiB, and the one that reads through the limit.
idle = rows["/recorded.slice/idle\\x2dheap.service"]
if not 10 * MIB - SLACK * PAGE <= idle["working_set_bytes"] <= 11 * MIB:
    fail(f"working set of {idle['working_set_bytes']}")
if not MIB <= idle["cold_bytes"] <= 30 * MIB:
    fail(f"{idle['cold_bytes']} are cold")
gens = records["/recorded.slice/reader@once.service"]["generations"]
tiers = [tier["file"] for gen in gens for tier in gen["tiers"] if tier["file"]]
for key in "evicted", "refaulted", "avg_total":
    if not any(tier.get(key) for tier in tiers):
        fail(f"reader: no {key} in any tier")
# What it had read before comes back: all that the kernel has counted of tier 1 and above.
oldest = next(gen for gen in gens if gen["file_pages"] is not None)
counts = [(tier["file"], mean["file"])
          for tier, mean in zip(oldest["tiers"][1:], gens[-1]["tiers"][1:])]
returned = sum(now["refaulted"] + mean["avg_refaulted"] for now, mean in counts)
left = sum(now["evicted"] + now["protected"] + mean["avg_total"] for now, mean in counts)
reader = rows["/recorded.slice/reader@once.service"]
if returned < 64 or reader["tier_return_ppm"] != returned * 1000000 // left:
    fail(f"reader: {reader['tier_return_ppm']} is not {returned} of {left}")
percent = f"{returned * 10000 // left / 100:.2f} %"
if (reader["reason"] != "hold-tiers" or reader["sentence"] !=
        f"held: {percent} of evicted tier-1+ file pages came back (limit 10.00 %)"):
    fail(f"reader: {reader['sentence']}")
if idle["tier_return_ppm"] is not None:
    fail(f"idle heap: {idle['tier_return_ppm']} of file that is not there")
# LRU_GEN_STATS: tiers of the generations between, and the walk of the older ones.
for gen in gens[1:-1]:
    if any(tier["file"] for tier in gen["tiers"]) != (stats == "yes"):
        fail(f"reader: tiers of generation {gen['seq']}")
if (gens[-1]["walk"] is None) != (stats == "yes"):
    fail("reader: walk of the youngest generation")
END
}

# recorded KIND LETTERS STATS: letters of the page-table walk, and whether the kernel has
# LRU_GEN_STATS. A copy: what is beside the test may not be written to.
recorded()
{
	kind=$1
	walk=$2
	stats=$3
	tree=$tmp/$kind
	cp -R "$srcdir/tests/fixtures/trees/$kind" "$tree"
	chmod -R u+w "$tree"
	fingerprint "$tree" >"$tmp/before"

	run 0 --once --root="$tree"
	has_once out "capability: tiers"
	has_once out ' /recorded.slice/idle\x2dheap.service: '
	has_once out ' /recorded.slice/pod:1.service/box@2: '
	[ "$(wc -l <"$tmp/out")" -eq $((2 + $(find "$tree/sys/fs/cgroup" -type d | grep -c .))) ] ||
		fail "$kind: not one line a cgroup"
	for verb in features list generations; do
		run_ctl 0 --root="$tree" "$verb"
		[ -s "$tmp/out" ] || fail "$kind: nothing to read: $verb"
		is_empty err
		run_json "$verb"
	done
	has_once features '"name":"swap-is-memory","present":true'
	# Removed cgroups that still hold pages: id 0, which is told apart, but as listed otherwise.
	sed 's/"valid":false,"why":"removed"/"valid":true,"why":null/' "$tmp/generations" >"$tmp/listed"
	python3 "$srcdir/tests/cli/check-json.py" generations "$tmp/listed" \
		"$tree/sys/kernel/debug/lru_gen_full" 2>"$tmp/err" || fail "$kind: not as listed"
	check_tree || fail "$kind: what is shown is not what is there"
	fingerprint "$tree" | cmp - "$tmp/before" || fail "$kind: the tree has changed"

	# Lockdown leaves the tiers; without them nothing is known, and nothing held for them.
	rm "$tree/sys/kernel/debug/lru_gen"
	run 0 --once --root="$tree"
	has_once err "capability: reclaim"
	has_once out "of evicted tier-1+ file pages came back"
	rm "$tree/sys/kernel/debug/lru_gen_full"
	run 0 --once --root="$tree"
	lacks out "came back"
	has_once out '/reader@once.service: left alone'
}

recorded 6.1 LOYNFA no
recorded 6.12 TYFA no
recorded 6.12-stats TYFA yes
