#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may include whom: the policy includes itself and four headers, each library has one home, and
# no file asks for autoconf's config.h (the compiler is given it). Exit: 0 or 1.
set -u
cd "$(dirname "$0")/.." || exit 1

bad=0
complain()
{
	echo "$*"
	bad=1
}

# Prints FILE:HEADER for each #include, the brackets or quotes left on.
includes()
{
	grep -EHo '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*[<"][^>"]*[>"]' "$@" |
		sed -E 's/^([^:]*):[^<"]*/\1:/'
}

# Standard input: FILE:HEADER lines. A header of this pattern is for these files alone.
only_in()
{
	pattern=$1
	shift
	while IFS=: read -r file header; do
		echo "$header" | grep -Eq "$pattern" || continue
		case " $* " in
		*" $file "*) ;;
		*) echo "$file includes $header, which is for: $*" ;;
		esac
	done
}

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
includes policy/*.[ch] agent/*.[ch] >"$list"
[ -s "$list" ] || complain "no includes found"

while IFS=: read -r file header; do
	case $file in
	policy/*) ;;
	*) continue ;;
	esac
	case $header in
	'<stdint.h>' | '<stdbool.h>' | '<stddef.h>' | '<string.h>') ;;
	'"'*'"')
		name=${header#?}
		[ -f "policy/${name%?}" ] || complain "$file includes $header, which is not policy's"
		;;
	*) complain "$file includes $header, which policy may not" ;;
	esac
done <"$list"

found=$(
	only_in '^<libcgroup' agent/hierarchy.c <"$list"
	only_in '^<liburing' agent/ring_uring.c <"$list"
	only_in '^<(n?curses|term|panel)' agent/top.c <"$list"
	only_in '^<jansson' agent/json.c agent/trace.c <"$list"
	only_in '^<systemd/sd-event\.h>' agent/bus.c agent/bus.h agent/ring.c \
		agent/ring.h agent/loop_lag.c agent/loop_lag.h agent/manager.c agent/manager_parts.h \
		agent/signals.c agent/signals.h \
		agent/ticker.c agent/ticker.h agent/worker.c agent/worker.h \
		agent/watchdog.c agent/watchdog.h agent/protector.h <"$list"
	only_in '^<systemd/sd-daemon\.h>' agent/notify.c <"$list"
	only_in '^<systemd/sd-journal\.h>' agent/log.c <"$list"
	only_in '^<systemd/sd-bus' agent/bus.c agent/bus_object.c agent/bus_object.h \
		agent/bus_ledger.c agent/bus_ledger.h agent/bus_log_control.c \
		agent/bus_log_control.h agent/bus_client.c agent/bus_client_parts.h \
		agent/bus_client_ledger.c <"$list"
	only_in '^<microhttpd' agent/metrics_http.c <"$list"
	grep -E ':<systemd/' "$list" | grep -Ev 'sd-(event|daemon|journal|bus)' | sed 's/$/: no home/'
)
[ -z "$found" ] || complain "$found"

parsers=$(grep -E ':<ini\.h>$' "$list" | cut -d: -f1)
case $parsers in
'' | agent/config*.c) ;;
*) complain "ini.h is for one agent/config*.c, not: $parsers" ;;
esac
[ "$(echo "$parsers" | wc -l)" -eq 1 ] || complain "ini.h is included by more than one file"

# agent/config.h is ours; anywhere else "config.h" finds the one of autoconf.
found=$(grep -E ':<config\.h>$' "$list"
	grep -E ':"config\.h"$' "$list" | grep -v '^agent/')
[ -z "$found" ] || complain "autoconf's config.h: $found"

[ "$bad" -eq 0 ] && echo "includes: all where they belong"
exit "$bad"
