#!/bin/bash
# SPDX-License-Identifier: MIT
# Completion in bash, by its function: verbs, options, cgroups by path and by name; and that it knows what
# --help does, in zsh too.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"

new_tree

# complete_words WORD...: what the last one can become, a line each, in $tmp/out.
complete_words()
(
	# shellcheck source=/dev/null
	. "$srcdir/completion/fgreclaimctl"
	# shellcheck disable=SC2034 # bash's own
	COMP_WORDS=(fgreclaimctl "$@") COMP_CWORD=$#
	_fgreclaimctl
	printf '%s\n' "${COMPREPLY[@]}" | sort >"$tmp/out"
)

# completes WANTED WORD...: to these, with a space between them.
completes()
{
	wanted=$1
	shift
	complete_words "$@"
	[ "$(tr '\n' ' ' <"$tmp/out")" = "$wanted " ] || fail "not \"$wanted\": $*"
}

completes "reload replay report resume" re
completes "explain" e
completes "--wait= --why" --w
completes "--json" list --j
completes "status" --json st
completes "" status m
completes "" list /
# By path, and by a name that only one has; "=" is a word of its own.
completes "mongod.service" --root = "$tree" explain mon
completes "/system.slice /system.slice/mongod.service /system.slice/nginx:web\ server\\\\x2d1.service" \
	--root = "$tree" generations /sys
completes "mongod.service" --root = "$tree" pause mongod
mkdir -p "$tree/sys/fs/cgroup/other/mongod.service"
completes "" --root = "$tree" pause mongod
completes "/other /other/mongod.service" --root = "$tree" pause /o
completes "$tree/sys" --root = "$tree/s"
: >"$tree/day.trace"
completes "$tree/day.trace" replay "$tree/day"

# Both know the verbs and the options that there are.
run_ctl 0 --help
verbs=$(sed -n '/^Without/,/^  --/p' "$tmp/out" | sed -nE 's/^  ([a-z]+) .*/\1/p' | sort)
options=$(grep -oE -- '^  --[a-z]+' "$tmp/out" | tr -d ' ' | sort)
[ "$(echo "$verbs" | wc -w)" -ge 10 ] || fail "no verbs in --help"
complete_words ''
[ "$(cat "$tmp/out")" = "$verbs" ] || fail "bash: other verbs than --help"
complete_words --
[ "$(tr -d = <"$tmp/out")" = "$options" ] || fail "bash: other options than --help"
zsh=$srcdir/completion/_fgreclaimctl
[ "$(sed -nE "s/^	'([a-z]+):.*/\1/p" "$zsh" | sort)" = "$verbs" ] || fail "zsh: other verbs than --help"
[ "$(grep -oE -- "'--[a-z]+" "$zsh" | tr -d "'" | sort)" = "$options" ] ||
	fail "zsh: other options than --help"
