#!/bin/sh
# SPDX-License-Identifier: MIT
# C source is laid out as .clang-format says, by version 14 (others differ in details).
# Exit: 0, 1, or 77 without it.
set -u
cd "$(dirname "$0")/.." || exit 1

format=${CLANG_FORMAT:-clang-format-14}
command -v "$format" >/dev/null || { echo "no $format"; exit 77; }

bad=0
for file in $(find policy agent tests -name '*.[ch]' | sort); do
	if ! "$format" --dry-run -Werror "$file" >/dev/null 2>&1; then
		echo "$file: run $format -i on it"
		bad=1
	fi
done
[ "$bad" -eq 0 ] && echo "format: all as it should be"
exit "$bad"
