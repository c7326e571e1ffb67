#!/usr/bin/env bash
# Reads mutated files of every format, and runs mutated models, under the sanitizers:
#   tools/robustness.sh [MINUTES, default 5] [FORMAT ...] [--count=N in place of minutes]
#     [--no_models] [--no_engine] [--out=FOLDER] [--restart]
#   tools/robustness.sh MINUTES models|bytes --device=GPU|DSP   on PoCL, or in the emulator
#   tools/robustness.sh MINUTES [FORMAT ...] --abi=armhf|i686   with addresses of 32 bits
#   tools/robustness.sh MINUTES --coverage   which lines of the engine the mutants reach
#   tools/robustness.sh --again FORMAT NUMBER
# The next call goes on with other mutants; --help names the formats. What fails is kept in
# build/robustness/failures.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
exec "${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python" test/robustness/campaign.py "$@"
