#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl features: the ladder, for people and for programs. What each missing thing does to the
# daemon is test-ladder.sh's.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

names="cgroup2 memory.reclaim swappiness mglru lru_gen swappiness-max lru_gen_full fg psi swap swap-is-memory io_uring writes"

# at LEVEL MISSING...: what features says of $tree; all others are present, but for what is asked of a
# live lru_gen alone. "fg" may be unknown instead, where $unknown says so.
unknown=
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
		*" $name "*) state=missing; [ "$name" != "$unknown" ] || state=unknown ;;
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
unknown='fg'
# shellcheck disable=SC2086
at observe ${names% io_uring writes}

# What tells of the fast path: symbols, type information, behaviour. $tree has five more cgroups of
# 800 MiB, 200 of them in the two youngest generations.
# behaves STOCK-OR-FG
behaves()
{
	active=$((200 << 20))
	[ "$1" = stock ] || active=0
	for n in 1 2 3 4 5; do
		dir=$tree/sys/fs/cgroup/b$n
		if ! [ -d "$dir" ]; then
			cp -R "$tree/sys/fs/cgroup/init.scope" "$dir"
			{
				printf 'memcg %5d /b%d\n node     0\n' "2$n" "$n"
				printf ' %10d %10d %10d %10d \n' 4 900000 153600 0 5 300000 0 0 \
					6 60000 25600 0 7 5000 25600 0
			} >>"$tree/sys/kernel/debug/lru_gen"
		fi
		{
			echo "active_anon $active"
			echo "inactive_anon $(((800 << 20) - active))"
			grep -v '^\(in\)\{0,1\}active_' "$tree/sys/fs/cgroup/init.scope/memory.stat" |
				sed 's/^anon .*/anon 838860800/; s/^file .*/file 0/'
			echo active_file 0
			echo inactive_file 0
		} >"$dir/memory.stat"
	done
}

# btf NAME: type information with that name and one of MGLRU.
btf()
{
	len=$((1 + 20 + ${#1} + 1))
	printf '\237\353\001\000\030\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' \
		>"$tree/sys/kernel/btf/vmlinux"
	# shellcheck disable=SC2059
	printf "\\$(printf '%03o' "$len")\\000\\000\\000\\000lru_gen_init_lruvec\\000$1\\000" \
		>>"$tree/sys/kernel/btf/vmlinux"
}

# says SYMBOL BTF BEHAVIOUR
says()
{
	run_ctl 0 --root="$tree" features
	for source in symbol btf behaviour; do
		has_once out " $source: $1: "
		shift
	done
}

fg='ffffffff81000000 T folio_inc_lru_refs'
new_tree
unknown=
says no unknown unknown
echo "$fg" >>"$tree/proc/kallsyms"
says yes unknown unknown
at fast-path swappiness
behaves fg
says yes unknown yes
at fast-path swappiness
# One look never says no.
behaves stock
says yes unknown unknown
at fast-path swappiness

# The code is not there, and yet it behaves so.
new_tree
behaves fg
says no unknown yes
unknown='fg'
at tiers swappiness fg
run_ctl 0 --root="$tree" features
has_once out "FastPath=yes"

# No symbols: not one, or none at all.
: >"$tree/proc/kallsyms"
unknown=
says unknown unknown yes
at fast-path swappiness
btf other_function
says unknown no yes
unknown='fg'
at tiers swappiness fg
btf folio_inc_lru_refs
says unknown yes yes
unknown=
at fast-path swappiness
behaves stock
says unknown yes unknown
at fast-path swappiness
btf other_function
says unknown no unknown
at tiers swappiness fg
rm "$tree/proc/kallsyms" "$tree/sys/kernel/btf/vmlinux"
says unknown unknown unknown
unknown='fg'
at tiers swappiness fg
# What the unit shows it instead of the one in /proc, which is empty there.
unknown=
mkdir -p "$tree/dev/fgreclaim"
echo "$fg" >"$tree/dev/fgreclaim/kallsyms"
says yes unknown unknown
at fast-path swappiness

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
