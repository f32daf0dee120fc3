#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The man pages: mandoc has no warning; their options are those of --help; their keys are those of the
# table of keys, with the values that it takes and the defaults of conf/fgreclaimd.conf.
set -eu
command -v mandoc >/dev/null || exit 77

cd "${srcdir:-.}"
program_page=man/fgreclaimd.8
conf_page=man/fgreclaimd.conf.5
client_page=man/fgreclaimctl.1
bus_page=man/org.fgreclaim1.5
bad=0

# same WHAT SOURCE PAGE WANTED FOUND: two lists, one entry a line, in any order.
same()
{
	if [[ ! $4 ]]; then
		echo "$1: nothing found in $2: has its layout changed?"
		bad=1
	elif ! diff -U0 --label "$2" --label "$3" <(sort -u <<<"$4") <(sort -u <<<"$5"); then
		echo "$1: $3 is not like $2"
		bad=1
	fi
}

# keys_named PAGE: each "Key=" in the text as it is read, examples included.
keys_named()
{
	mandoc -T ascii "$1" | sed 's/.\x08//g' | grep -oE '\b[A-Z][a-z][A-Za-z]*=' | tr -d = | sort -u
}

for page in "$program_page" "$conf_page" "$client_page" "$bus_page"; do
	mandoc -T lint -W warning "$page" || bad=1
done

# options SOURCE PAGE
options()
{
	same options "$1" "$2" \
		"$(awk '/^static void print_help/, /^}/' "$1" | grep -oE -- '--[a-z][a-z-]*')" \
		"$(sed -nE 's/^\.It Fl Fl ([a-z-]+).*/--\1/p' "$2")"
}

options agent/main.c "$program_page"
options agent/ctl.c "$client_page"

same verbs agent/ctl.c "$client_page" \
	"$(sed -nE 's/^\t\{\.name = "([a-z]+)".*/\1/p' agent/ctl.c)" \
	"$(sed -nE 's/^\.It Cm ([a-z]+).*/\1/p' "$client_page")"

same properties agent/status.c "$bus_page" \
	"$(awk -F'[",]' '/^\tFIELD\(/ { print $2 ": " substr($7, 3, 1) }' agent/status.c | sed 's/: a/: as/')" \
	"$(sed -nE 's/^\.It Va ([A-Za-z]+) No \(([a-z]+)\)/\1: \2/p' "$bus_page")"
same keys agent/status.c "$client_page" \
	"$(awk -F'"' '/^\tFIELD\(/ { print $4 }' agent/status.c)" \
	"$(sed -n '/^status:/,/^$/p' "$client_page" | grep -oE '"[a-z_]+":' | tr -d '":')"
same methods agent/bus_object.c "$bus_page" \
	"$(cat agent/bus_object.c agent/bus_ledger.c | tr -d '\n' |
		grep -oE 'SD_BUS_METHOD_WITH_ARGS\([[:blank:]]*"[A-Za-z]+"' | cut -d'"' -f2)" \
	"$(sed -nE 's/^\.It Fn ([A-Za-z]+).*/\1/p' "$bus_page")"
same fields agent/ledger_fields.c "$bus_page" \
	"$(sed -nE 's/^\tTOTAL\("([a-z_]+)".*/\1: t/p; s/^\tFIELD\("([a-z_]+)", .(.).,.*/\1: \2/p;
		s/^\t+FIELD\("(generation)" number "([a-z_]+)", .(.).,.*/\1N\2: \3/p' agent/ledger_fields.c)" \
	"$(sed -n '/^\.Ss Cgroups/,/^\.Ss/p' "$bus_page" | sed -n 's/^\.It Li //p' | sed 's/ , Li /\n/g' |
		sed -E 's/ No \((.)\)/: \1/')"
same errors agent/bus_name.h "$bus_page" \
	"$(sed -nE 's/^#define BUS_ERROR_.*"(.*)"/\1/p' agent/bus_name.h)" \
	"$(sed -nE 's/^\.It Li (org\.fgreclaim1\..*)/\1/p' "$bus_page")"

keys=$(awk -F'"' '/^\t\{ SECTION_[A-Z]+, "/ { print $2 }' agent/config_keys.c)
same keys agent/config_keys.c "$conf_page" "$keys" "$(keys_named "$conf_page")"
unknown=$(comm -13 <(sort -u <<<"$keys") <(keys_named "$program_page"))
if [[ $unknown ]]; then
	echo "keys: $program_page names what agent/config_keys.c does not know:" "$unknown"
	bad=1
fi

same values agent/config_keys.c "$conf_page" \
	"$(awk -F'"' '/^\t\{ SECTION_[A-Z]+, "/ && $4 { print $2 ": " $4 "." }' agent/config_keys.c)" \
	"$(awk '/^\.It Cm .* Ns =/ { key = $3 } sub(/^Takes /, "") { print key ": " $0 }' "$conf_page")"

same defaults conf/fgreclaimd.conf "$conf_page" \
	"$(sed -nE 's/^#([A-Z][A-Za-z]*)=(.*)/\1: \2/p' conf/fgreclaimd.conf)" \
	"$(awk '/^\.It Cm .* Ns =/ { key = $3 }
		default { print key ": " $2 }
		{ default = /^The default is$/ }' "$conf_page")"

exit "$bad"
