#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/.. source=guest-lib.sh
source "$LIB"

# Comes after the hang, when no time is left.
