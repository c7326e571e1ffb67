#!/bin/bash
# MACE beside its peers: test/peers/run.sh [--models M,..] [--threads 1,2] [--rounds N] [--json OUT]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh --for validate
exec "${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python" test/peers/bench.py "$@"
