#!/bin/sh
# SPDX-License-Identifier: MIT
# The scenarios marked short, one seed, held against their bounds; half a day of 2 000 cgroups.
set -eu
./sim-scale 2000
exec ./policy-sim --short --jobs=2 "${srcdir:-.}"/tests/sim/scenarios/*.sim
