#!/bin/bash
# Speed on Arm without an Arm: test/arm/run.sh [--models M,..] [--functions] [--write] [--budget]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh --for test
exec "${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python" test/arm/report.py "$@"
