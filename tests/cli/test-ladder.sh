#!/bin/sh
# SPDX-License-Identifier: MIT
# What is missing on a host makes the agent do less, and say so once; it is never a failure.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

cgroups=sys/fs/cgroup

# at LEVEL: what --once makes of $tree.
at()
{
	run 0 --once --root="$tree"
	has_once err "capability: $1"
}

# missing FEATURE: said in one line, with what to do about it.
missing()
{
	has_once err "$1 is missing"
	grep -F -e "$1 is missing" "$tmp/err" | grep -q '[:.] .*[a-z]' || fail "no remedy for $1"
}

new_tree
at tiers
echo 'ffffffff81000000 t folio_inc_lru_refs' >>"$tree/proc/kallsyms"
at fast-path

# No cgroup2 at all: nothing to do. One line says so, and nothing else is complained of.
rm -rf "${tree:?}/$cgroups"
at observe
has_once err cgroup2
has_once err missing
is_empty out
mkdir -p "$tree/$cgroups/memory" # version 1
at observe
has_once err missing
has_once err "cgroup v2"
echo "cpu io pids" >"$tree/$cgroups/cgroup.controllers" # hybrid
at observe
has_once err missing
rm -rf "${tree:?}/$cgroups"
touch "$tree/$cgroups"
at observe
has_once err missing
rm -rf "$tree"
mkdir "$tree"
at observe
has_once err missing

# Without debugfs, or under lockdown, which leaves lru_gen_full readable.
new_tree
rm "$tree/sys/kernel/debug/lru_gen"
at reclaim
missing lru_gen
lacks out "capability: tiers"
rm "$tree/sys/kernel/debug/lru_gen_full"
at reclaim
new_tree
rm "$tree/sys/kernel/debug/lru_gen_full"
at generations
missing lru_gen_full

new_tree
echo 0x0000 >"$tree/sys/kernel/mm/lru_gen/enabled"
at reclaim
missing mglru
lacks err "lru_gen is missing"
rm "$tree/sys/kernel/mm/lru_gen/enabled"
at reclaim
missing mglru

new_tree
rm -r "$tree/proc/pressure"
find "$tree" -name '*.pressure' -delete
at tiers
missing psi

new_tree
head -n 1 "$tree/proc/swaps" >"$tmp/swaps"
mv "$tmp/swaps" "$tree/proc/swaps"
at tiers
missing swap
lacks err "swap-is-memory"
printf '/swapfile file 1048576 0 -2\n' >>"$tree/proc/swaps"
at tiers
missing swap-is-memory
lacks err "swap is missing"
echo Y >"$tree/sys/module/zswap/parameters/enabled"
at tiers
lacks err "swap-is-memory"

# memory.reclaim that cannot be written, or is not there: kernels before 5.19, read-only mounts.
new_tree
find "$tree" -name memory.reclaim -delete
at observe
missing memory.reclaim
lacks err "swappiness is missing"
find "$tree/$cgroups" -depth -mindepth 1 -type d -exec mkdir {}/memory.reclaim \;
at observe
missing memory.reclaim

# A tree with the controller and no cgroup in it.
new_tree
rm -r "$tree/$cgroups/system.slice" "$tree/$cgroups/user.slice" "$tree/$cgroups/init.scope"
at observe
