#!/bin/sh
# SPDX-License-Identifier: MIT
# The scenarios marked short, one seed, held against their bounds.
set -u
exec ./policy-sim --short --jobs=2 "${srcdir:-.}"/tests/sim/scenarios/*.sim
