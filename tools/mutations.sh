#!/usr/bin/env bash
# Loads, plans and runs mutated models under AddressSanitizer and
# UndefinedBehaviorSanitizer: tools/mutations.sh [COUNT, default 2000]
# [more arguments of test/fuzz/mutations_main.cc]. Failing models are kept in
# build/mutations; "--first=NUMBER" with a COUNT of 1 repeats one.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-2000}
shift || true
cache=${MACE_CACHE:-$HOME/.cache/mace}
seeds=build/mutations/seeds
rm -rf "$seeds"
"$cache/venv/bin/python" test/fuzz/seeds.py "$seeds"
bazel build --config=asan --define=opencl=false --disk_cache="$cache/bazel" --show_result=0 \
  --noshow_progress --ui_event_filters=-info //test/fuzz:mutations
binary=$(bazel info --config=asan bazel-bin)/test/fuzz/mutations
exec "$binary" "$seeds" --count="$count" --out=build/mutations "$@"
