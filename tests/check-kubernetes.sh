#!/bin/bash
# SPDX-License-Identifier: MIT
#
# conf/kubernetes: objects that the API has such fields for, a pod that may no more than it has to, and a
# configuration that the agent takes. tests/vm/fleet runs it.
set -eu
python=/usr/bin/python3 # Debian's, for which its modules are
"$python" -c 'import kubernetes, yaml' 2>/dev/null || exit 77

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "${srcdir:-.}"
"$python" tests/check-kubernetes.py
"$python" tests/check-kubernetes.py --configuration >"$work/fgreclaimd.conf"
"$FGRECLAIMD" --check-config --config="$work/fgreclaimd.conf"
