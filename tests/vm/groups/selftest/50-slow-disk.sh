#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/../.. source=guest-lib.sh
source "$LIB"

# The slow disk has the content of the fast one, and every read takes its latency.
# check-harness puts an image with the file "data" on disk0.

slow_disk "$(disk disk0)" /mnt 2000
mkdir /run/original
mount -o ro "$(disk disk0)" /run/original
cmp /mnt/data /run/original/data

begin=$(date +%s%3N)
dd if=/mnt/data of=/dev/null bs=4k count=500 iflag=direct status=none
took=$(($(date +%s%3N) - begin))
echo "500 reads of 2 ms took $took ms"
((took >= 1000)) || fail "500 reads of 2 ms took only $took ms"
((took < 4000)) || fail "500 reads of 2 ms took $took ms"
umount /mnt /run/original
