#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/.. source=guest-lib.sh
source "$LIB"

skip 'not on this kernel'
