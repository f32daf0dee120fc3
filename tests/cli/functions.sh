# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the command line tests share; sourced by each. A test exits 0, 1, or 77 for "skipped".
# $FGRECLAIMD, $FGRECLAIMCTL: the programs, in the current folder if unset. Nothing but $tmp is written
# to.
set -eu

FGRECLAIMD=${FGRECLAIMD:-./fgreclaimd}
FGRECLAIMCTL=${FGRECLAIMCTL:-./fgreclaimctl}
srcdir=${srcdir:-$(dirname "$0")/../..}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/fgreclaim-cli-XXXXXX")
cleanup_commands=

# No journal, no service manager, no level of somebody else's.
unset JOURNAL_STREAM NOTIFY_SOCKET SYSTEMD_LOG_LEVEL WATCHDOG_USEC WATCHDOG_PID || :
LC_ALL=C
export LC_ALL
# Nor this machine's bus.
DBUS_SYSTEM_BUS_ADDRESS=unix:path=$tmp/bus
export DBUS_SYSTEM_BUS_ADDRESS

# cleanup_fn COMMAND: run at the end of the test, however that comes; the last one first.
cleanup_fn()
{
	cleanup_commands="$*
$cleanup_commands"
}

run_cleanup()
{
	status=$?
	trap - EXIT
	set +e
	eval "$cleanup_commands"
	rm -rf "$tmp"
	exit "$status"
}
trap run_cleanup EXIT
trap 'exit 1' HUP INT TERM

fail()
{
	echo "$0: $*" >&2
	for file in "$tmp/out" "$tmp/err"; do
		[ -e "$file" ] && sed "s|^|  $(basename "$file"): |" "$file" >&2
	done
	exit 1
}

skip()
{
	echo "$0: skipped: $*"
	exit 77
}

# requires COMMAND: without its success the test is skipped.
requires()
{
	"$@" </dev/null >/dev/null 2>&1 || skip "$* does not work here"
}

# run_program PROGRAM STATUS ARGUMENT...: its output is in $tmp/out and $tmp/err.
run_program()
{
	program=$1
	wanted=$2
	shift 2
	status=0
	timeout 60 "$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	[ "$status" -eq "$wanted" ] || fail "exit $status, not $wanted: $*"
}

# run STATUS ARGUMENT..., run_ctl STATUS ARGUMENT...: the daemon, and the one beside it.
run()
{
	run_program "$FGRECLAIMD" "$@"
}

run_ctl()
{
	run_program "$FGRECLAIMCTL" "$@"
}

# has FILE TEXT, lacks FILE TEXT: FILE is out or err; TEXT is matched as it stands.
has()
{
	grep -qF -e "$2" "$tmp/$1" || fail "no \"$2\" in $1"
}

lacks()
{
	! grep -qF -e "$2" "$tmp/$1" || fail "\"$2\" in $1"
}

# has_once FILE TEXT: in exactly one line.
has_once()
{
	count=$(grep -cF -e "$2" "$tmp/$1") || :
	[ "$count" -eq 1 ] || fail "\"$2\" in $count lines of $1"
}

is_empty()
{
	[ ! -s "$tmp/$1" ] || fail "$1 is not empty"
}

# new_tree: makes $tree anew, a whole host.
new_tree()
{
	tree=$tmp/tree
	rm -rf "$tree"
	sh "$srcdir/tests/fixtures/trees/make-tree" "$tree"
}

# listing_tree FILE: makes $tree anew, with nothing but this listing in it.
listing_tree()
{
	tree=$tmp/tree
	rm -rf "$tree"
	mkdir -p "$tree/sys/kernel/debug"
	cat "$1" >"$tree/sys/kernel/debug/lru_gen_full"
}

# fingerprint DIR: names, modes, times of change and contents of all below.
fingerprint()
{
	(cd "$1" && find . -printf '%p %y %m %s %T@\n' | sort && find . -type f -exec cksum {} + |
		sort)
}

# wait_for FILE TEXT: until the background process has written it; five seconds at most.
wait_for()
{
	for _ in $(seq 100); do
		grep -qF -e "$2" "$tmp/$1" 2>/dev/null && return
		sleep 0.05
	done
	fail "\"$2\" does not come in $1"
}
