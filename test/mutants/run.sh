#!/bin/bash
# Mutants of mace/plan and mace/memory, and which of them no test notices:
#   test/mutants/run.sh [FILE or FOLDER ...] [--sample=N] [--again] [--at-least=PERCENT]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh --for test
export MACE_TEST_DATA=${MACE_TEST_DATA:-../shared}
MACE_TEST_DATA=$(realpath -m "$MACE_TEST_DATA")
exec nice -n 2 "${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python" test/mutants/mutate.py "$@"
