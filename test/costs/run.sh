#!/bin/bash
# Fits the cost model of convolutions (mace/cpu/conv/conv_cost.cc) to this CPU:
#   test/costs/run.sh [ROUNDS]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh --for test
cache=${MACE_CACHE:-$HOME/.cache/mace}
bazel build --disk_cache="$cache/bazel" --show_result=0 //mace/cpu:conv_costs_bench
mkdir -p build
bazel-bin/mace/cpu/conv_costs_bench "${1:-15}" > build/conv_costs.csv
exec "$cache/venv/bin/python" test/costs/fit.py build/conv_costs.csv
