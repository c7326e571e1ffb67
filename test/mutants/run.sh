#!/bin/bash
# Changes the code in one place after the other, and finds which changes no test notices:
#   test/mutants/run.sh [FILE or FOLDER ...] [--sample=N] [--again] [--at-least=PERCENT]
#   test/mutants/run.sh sample --python|--cpp --report=FILE [--sample=N] [--seed=N] [--ring=RING]
#   test/mutants/run.sh compare BEFORE AFTER
# The first is for mace/plan and mace/memory. A run of a sample that was stopped goes on.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh --for test
export MACE_TEST_DATA=${MACE_TEST_DATA:-../shared}
MACE_TEST_DATA=$(realpath -m "$MACE_TEST_DATA")
case ${1:-} in
  sample | compare) program=sample.py ;;
  *) program=mutate.py ;;
esac
exec nice -n 2 "${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python" "test/mutants/$program" "$@"
