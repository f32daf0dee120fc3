#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl: options that print and leave; wrong ones; output that cannot be written.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

run_ctl 0 --help
for word in features generations list status explain report top pause resume reload --root= --json --why --wait= --since= --version --help; do
	has out "$word"
done
is_empty err
run_ctl 0 --version
grep -qE '^fgreclaim [0-9]+\.[0-9]+' "$tmp/out" || fail "no version"
[ "$(wc -l <"$tmp/out")" -eq 1 ] || fail "more than a line"

new_tree
# refused TEXT ARGUMENT...: one line that names what is wrong, and no output.
refused()
{
	text=$1
	shift
	run_ctl 2 "$@"
	is_empty out
	has_once err "$text"
	[ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "more than a line: $*"
}
refused "no verb"
refused "no verb" --json
refused '"no-such-verb"' no-such-verb
refused '""' ''
refused no-such-option --no-such-option
refused "'x'" -x
refused root features --root
refused root --root= features
refused json features --json=yes
refused '"extra"' features extra
refused '"extra"' list extra
refused '"extra"' generations /a extra
refused '"extra"' pause /a extra
refused '"extra"' status extra
refused '"extra"' explain /a extra
refused '"/a"' report /a
refused "of which cgroup?" explain
for verb in status "explain a" report pause resume reload; do
	name=${verb%% *}
	# shellcheck disable=SC2086 # a verb and its cgroup
	{
		refused "--root is not for $name" $verb --root="$tree"
		refused "--wait is not for $name" $verb --wait=1
	}
	# No bus is at the place where the test says that it is.
	# shellcheck disable=SC2086 # likewise
	run_ctl 1 $verb
	is_empty out
	has_once err "no system bus"
done
refused "--since is not for list" list --since=1h
for since in 0 x 1x -1 ''; do
	refused "--since" report --since="$since"
done
refused "--why is not for features" features --why
refused "--wait is not for generations" generations --wait=1
for wait in 0 0s -1 x 1x 3601 2h 18446744073709551615 99999999999999999999 ''; do
	refused "--wait" list --wait="$wait"
done

# Options before the verb and behind it.
for wait in 1 3600 500ms "1min 30s"; do
	run_ctl 0 --root="$tree" list --wait="$wait"
done
run_ctl 0 list --json --root="$tree"
run_ctl 1 --root="$tmp/no-such-folder" features
is_empty out
has_once err "No such file"

for verb in features list generations; do
	for json in "" --json; do
		# Whoever reads may leave: a reader that does so at once, and one after a line.
		for command in true "head -n 1"; do
			# shellcheck disable=SC2086
			{
				status=0
				"$FGRECLAIMCTL" --root="$tree" $verb $json 2>"$tmp/err" || status=$?
				echo "$status" >"$tmp/status"
			} | $command >/dev/null
			case $(cat "$tmp/status") in
			0 | 1) ;;
			*) fail "exit $(cat "$tmp/status") into a closed pipe: $verb $json" ;;
			esac
			is_empty err
		done
	done
done

[ -c /dev/full ] || skip "no /dev/full"
for arguments in --help --version features list generations "features --json" "list --json" \
	"generations --json"; do
	status=0
	# shellcheck disable=SC2086
	"$FGRECLAIMCTL" $arguments --root="$tree" >/dev/full 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ] || fail "$arguments to a full device: exit $status"
	has_once err "standard output"
	has_once err "No space left"
done
