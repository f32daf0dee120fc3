#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/.. source=guest-lib.sh
source "$LIB"

echo 'what the script said before'
grep -q nothing-like-this /etc/hostname
