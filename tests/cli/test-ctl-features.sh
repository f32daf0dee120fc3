#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl features: the ladder, for people and for programs. What each missing thing does to the
# daemon is test-ladder.sh's.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

names="cgroup2 memory.reclaim swappiness mglru lru_gen swappiness-max lru_gen_full fg psi swap swap-is-memory io_uring writes"

# at LEVEL MISSING...: what features says of $tree; all others are present, but for what is asked of a
# live lru_gen alone.
at()
{
	level=$1
	shift
	case " $* " in
	*" swappiness-max "*) ;;
	*) set -- "$@" swappiness-max ;;
	esac
	run_ctl 0 --root="$tree" features
	has_once out "capability: $level"
	for name in $names; do
		case " $* " in
		*" $name "*) state=missing ;;
		*) state=present ;;
		esac
		grep -qE "^$name  *$state  ." "$tmp/out" || fail "$name is not $state"
	done
	is_empty err
	! command -v python3 >/dev/null || check_json "$level" "$@"
}

check_json()
{
	run_ctl 0 --root="$tree" features --json
	python3 "$srcdir/tests/cli/check-json.py" features "$tmp/out" "$@" >"$tmp/err" 2>&1 ||
		fail "not the JSON that is promised"
}

new_tree
fingerprint "$tree" >"$tmp/before"
at tiers swappiness fg
fingerprint "$tree" | cmp - "$tmp/before" || fail "the tree has changed"
grep -A1 '^swappiness' "$tmp/out" | grep -q remedy: || [ "$(head -c 1 "$tmp/out")" = "{" ] ||
	fail "no remedy below swappiness"

echo 'ffffffff81000000 t folio_inc_lru_refs' >>"$tree/proc/kallsyms"
at fast-path swappiness
rm "$tree/sys/kernel/debug/lru_gen_full"
at generations swappiness lru_gen_full
rm "$tree/sys/kernel/debug/lru_gen"
at reclaim swappiness lru_gen lru_gen_full
run_ctl 0 --root="$tree" features
has out "remedy: mount debugfs"
rm -r "$tree/sys/fs/cgroup"
at observe cgroup2 memory.reclaim swappiness lru_gen lru_gen_full
rm -r "$tree/proc" "$tree/sys"
# shellcheck disable=SC2086
at observe ${names% io_uring writes}

# Which disk swap is on, and whether that rotates.
new_tree
mkdir -p "$tree/sys/block/sda/queue" "$tree/sys/block/nvme0n1/queue"
echo 1 >"$tree/sys/block/sda/queue/rotational"
echo 0 >"$tree/sys/block/nvme0n1/queue/rotational"
printf '%s partition 1048576 0 -2\n' /dev/sda3 /dev/nvme0n1p2 >>"$tree/proc/swaps"
printf '/swap\\040file file 1048576 0 -2\n' >>"$tree/proc/swaps"
at tiers swappiness fg swap-is-memory
run_ctl 0 --root="$tree" features
has_once out "/dev/sda3 (rotational), /dev/nvme0n1p2 (not rotational), /swap file (file)"
has_once out "1 of 4 are zram, 1 on rotating disks, "

# Bytes of a name in the evidence.
new_tree
esc=$(printf '\033')
name="aa$(printf '\033[2J\302\233\377')"
rm -r "$tree/sys/fs/cgroup/user.slice" "$tree/sys/fs/cgroup/init.scope"
mv "$tree/sys/fs/cgroup/system.slice/mongod.service" "$tree/sys/fs/cgroup/$name"
rm -r "$tree/sys/fs/cgroup/system.slice" "$tree/sys/fs/cgroup/$name/memory.reclaim"
at observe memory.reclaim swappiness fg
run_ctl 0 --root="$tree" features
has out '/aa\x1b[2J\xc2\x9b\xff: '
lacks out "$esc"

# On the host itself: whatever there is, it does not fail.
run_ctl 0 features
has_once out "capability: "
