#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/.. source=guest-lib.sh
source "$LIB"

echo 'written before the panic'
sync
echo c >/proc/sysrq-trigger
