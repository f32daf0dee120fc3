#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure. Needs autoconf, automake, autoconf-archive and pkg-config.
set -eu
cd "$(dirname "$0")"
mkdir -p m4 build-aux
autoreconf --install --warnings=all,error "$@"
