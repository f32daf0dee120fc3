#!/bin/bash
# SPDX-License-Identifier: MIT
#
# reader.sh DIR: reads DIR/hot* again and again, and DIR/cold* once, a part in each round.

set -eu
for ((first = 1; first <= 24; first += 3)); do
	for _ in 1 2; do
		cat "$1"/hot* >/dev/null
	done
	cat "$1/cold$first" "$1/cold$((first + 1))" "$1/cold$((first + 2))" >/dev/null
	sleep 0.5
done
: >/run/reader-done
exec sleep infinity
