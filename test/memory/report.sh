#!/bin/bash
# Prints what the memory planners reach: conformance, tables beside reference figures, MobileNets, peak memory.
# SPDX-License-Identifier: Apache-2.0
#
# usage: test/memory/report.sh FOLDER [flags of memory_bench]      FOLDER holds conformance/memory
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$(realpath "${1:?usage: test/memory/report.sh FOLDER [flags of memory_bench]}")
shift
quiet=(--show_result=0 --noshow_progress --ui_event_filters=-info)
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# With bazel's information, for that is where the tests' output comes.
bazel test -c opt --noshow_progress --test_env=MACE_TEST_DATA="$folder" --test_output=all \
  --nocache_test_results //mace/memory/... //test/memory:all >"$log" 2>&1 || status=1
grep -hE '^conformance|^activations|^peak of|^\[  FAILED|FAIL:' "$log"
((status)) && tail -n 20 "$log"
echo
bazel run -c opt "${quiet[@]}" //test/memory:memory_bench -- "$folder" "$@" || status=1
exit "$status"
