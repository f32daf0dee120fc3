#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of make check-threads are just those that can make a thread: a new one is not forgotten.
# Exit: 0 they are, 1 they are not, 77 when that cannot be told.
set -u

nm=${NM:-nm}
command -v "$nm" >/dev/null || { echo "no $nm"; exit 77; }
[ -n "${CHECK_PROGRAMS-}" ] || { echo "run by make check"; exit 77; }

bad=0
for program in $CHECK_PROGRAMS; do
	listed=no
	case " $THREADED_TESTS " in
	*" $program "*) listed=yes ;;
	esac
	symbols=$("$nm" -P "$program") || exit 1
	case $listed,$(echo "$symbols" | sed -n 's/^pthread_create\(@[^ ]*\)\{0,1\} \(.\).*/\2/p') in
	no, | yes,U) continue ;;
	no,U) echo "$program makes threads, and is not in threaded_tests of tests/Makemodule.am" ;;
	yes,) echo "$program makes no thread, and is in threaded_tests of tests/Makemodule.am" ;;
	*) echo "a sanitizer has brought its own pthread_create"; exit 77 ;;
	esac
	bad=1
done
[ "$bad" -eq 0 ] && echo "threads: every test that has some is listed"
exit "$bad"
