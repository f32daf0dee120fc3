#!/bin/bash
# SPDX-License-Identifier: MIT
#
# memcached with items of which a tenth is in use: nothing of it is taken, and memory.low follows it as
# far as its slice grants.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"
# shellcheck source=servers-lib.sh
source "$IN/servers-lib.sh"

items=13000 # of some 4 KiB
hot_items=1500
granted=$((40 << 20))

query() { "$IN/bin/memcache" get "$hot_items" || fail "items are missing"; }
low() { cg_read "$cg" memory.low; }
low_is() { (($(low) == $1)); }

install_agent
begin memcached.service 160M
start_afresh
progress "filling"
wait_for 20 "$IN/bin/memcache" set "$items" || fail "it does not answer"
hot_queries 12 5 warm
hot_queries 8 5 micros.before
count before
is_of_class memcached
systemctl set-property --runtime system.slice MemoryLow=$granted
hot_queries 18 10 micros.after
protected=$(low)
systemctl show -P MemoryLow "$unit"
count after

before=$(median micros.before) after=$(median micros.after)
figures "memcached: hot items $before us before, $after us after; $(grown pgmajfault) major faults," \
	"$(cg_read "$cg" memory.swap.current) bytes in swap, $(mib "$(counted after anon)") of anon;" \
	"$(mib "$protected") protected of $(mib $granted) granted"
is_kept "$before" "$after"
is_left_in_memory
is_within_limit
is_quiet
((protected > granted * 7 / 8 && protected <= granted)) || fail "$protected bytes are protected"
(($(counted after anon) >= $(counted before anon))) || fail "it was taken from"
systemctl stop fgreclaimd
low_is 0 || fail "memory.low was not put back: $(low)"
