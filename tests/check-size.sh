#!/bin/sh
# SPDX-License-Identifier: MIT
# Files of policy/, agent/ and tests/sim/ have 400 lines at most, their functions 60, signature and braces
# included. Exit: 0 or 1.
set -u
cd "$(dirname "$0")/.." || exit 1

FILE_LINES_MAX=400
FUNCTION_LINES_MAX=60

# PATH LINES REASON, one a line: may have up to so many lines, and why.
exceptions()
{
	cat <<'END'
END
}

bad=0
for file in policy/*.[ch] agent/*.[ch] tests/sim/*.[ch]; do
	lines=$(wc -l <"$file")
	most=$(exceptions | awk -v file="$file" '$1 == file && NF > 2 { print $2 }')
	if [ "$lines" -gt "${most:-$FILE_LINES_MAX}" ]; then
		echo "$file: $lines lines, ${most:-$FILE_LINES_MAX} at most"
		bad=1
	fi
done

# A function begins at the last line in column 0 before its brace there.
awk -v most="$FUNCTION_LINES_MAX" '
	FNR == 1 { open = 0; start = 0; former = "" }
	/^[A-Za-z_]/ && !/;[[:blank:]]*$/ && !open { start = FNR; name = $0 }
	/^\{/ && former ~ /\)[[:blank:]]*$/ { open = 1 }
	/^\}/ && open {
		open = 0
		if (FNR - start + 1 > most) {
			print FILENAME ":" start ": " FNR - start + 1 " lines, " most " at most: " name
			bad = 1
		}
	}
	{ former = $0 }
	END { exit bad }' policy/*.[ch] agent/*.[ch] tests/sim/*.[ch] || bad=1

[ "$bad" -eq 0 ] && echo "sizes: all within bounds"
exit "$bad"
