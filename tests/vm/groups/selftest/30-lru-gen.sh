#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/../.. source=guest-lib.sh
source "$LIB"

# MGLRU is on, and its debugfs file can be read and obeys an aging command.

file=/sys/kernel/debug/lru_gen
(($(</sys/kernel/mm/lru_gen/enabled) & 1)) || fail 'MGLRU is off'

# youngest CGROUP: "ID NODE MAX_SEQ" of its last node
youngest() {
	awk -v path="$1" '
		$1 == "memcg" { found = ($3 == path); if (found) id = $2; next }
		found && $1 == "node" { node = $2; next }
		found { seq = $1 }
		END { print id, node, seq }' "$file"
}

read -r id node before < <(youngest /system.slice)
echo "+ $id $node $before 1" >"$file"
read -r _ _ after < <(youngest /system.slice)
((after == before + 1)) || fail "aging /system.slice moved its youngest generation from $before to $after"
head -c 4096 "${file}_full" >/dev/null
