#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the agent says of this kernel: the fast path is there where it is, and by which evidence.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"

install_root
uname -r
fgreclaimctl features | tee features
case $(<"$IN/flavour") in
stock) grep -Eq '^fg +missing ' features || fail "it sees a fast path" ;;
*) grep -Eq '^fg +present +.*folio_inc_lru_refs' features || fail "it sees no fast path" ;;
esac
