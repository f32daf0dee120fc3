#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: check-purity.sh [LIBPOLICY_A]
#
# The policy is pure: its archive calls nothing but copying and comparing of memory, and keeps no
# variable of its own. Exit: 0 pure, 1 not, 77 without nm.
set -u

archive=${1:-libpolicy.a}
nm=${NM:-nm}
command -v "$nm" >/dev/null || { echo "no $nm"; exit 77; }
[ -r "$archive" ] || { echo "cannot read $archive"; exit 1; }

symbols=$("$nm" -P "$archive") || exit 1

# bcmp is what clang makes of memcmp; __memcpy_chk and its like are _FORTIFY_SOURCE.
calls=$(echo "$symbols" | awk '
	NF < 2 { next }
	$2 == "U" || $2 == "w" || $2 == "v" { wanted[$1] = 1; next }
	{ defined[$1] = 1 }
	END {
		for (name in wanted)
			if (!(name in defined))
				print name
	}' | sort | grep -Evx \
	'memcpy|memset|memmove|memcmp|bcmp|strcmp|strlen|__mem(cpy|set|move)_chk|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__(asan|tsan|ubsan|sancov|sanitizer)_.*')

# Sanitizers bring variables of their own.
variables=
if ! echo "$symbols" | grep -Eq '^__(asan|tsan|ubsan|sancov)'; then
	variables=$("$nm" -f sysv "$archive" | awk -F '|' '
		$NF ~ /^\.(data|bss|tdata|tbss)/ && $NF !~ /^\.data\.rel\.ro/ || $NF ~ /COM/ {
			sub(/ *$/, "", $1)
			print $1
		}')
fi

for name in $calls; do
	echo "not pure: calls $name"
done
for name in $variables; do
	echo "not pure: keeps $name"
done
[ -z "$calls$variables" ] || exit 1
echo "pure: $archive"
