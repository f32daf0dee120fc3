#!/bin/sh
# SPDX-License-Identifier: MIT
# fgreclaimctl top on a terminal of the test's own: keys, sizes, a terminal and a daemon that go away; and
# without a terminal.
. "${srcdir:-$(dirname "$0")/../..}/tests/cli/functions.sh"
. "$srcdir/tests/cli/bus.sh"

requires python3 --version
requires infocmp xterm

run_ctl 1 top
is_empty out
has_once err "top needs a terminal"
run_ctl 2 --json top
has_once err "--json is not for top"
run_ctl 2 top --why
run_ctl 2 top --since=1h

new_tree
conf=$tmp/x.conf
printf '[Agent]\nInterval=500ms\n[Class db]\nMatch=/**/mongod.service\n' >"$conf"
start_bus nobody
start_agent agent
wait_for_ctl 0 list

export TERM=xterm
on_terminal()
{
	python3 "$srcdir/tests/cli/terminal.py" "$FGRECLAIMCTL" "$@" >"$tmp/out" 2>&1 || fail "top: $*"
}
for scenario in keys sizes term gone lost; do
	on_terminal "$scenario"
done
on_terminal daemon "$agent"
wait "$agent" || fail "exit $? of a daemon"
agents=

# One that nobody knows is none.
python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
	env TERM=no-such-terminal "$FGRECLAIMCTL" top >"$tmp/out" </dev/null && fail "a terminal that nobody knows"
has out "top needs a terminal"
