#!/usr/bin/env bash
# Fuzzes the loader, and before it the reader of models for a tenth of the time:
# tools/fuzz.sh [SECONDS, default 600]. Findings are kept in build/fuzz; the seeds
# are in test/fuzz/corpus.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
bazel build --config=fuzz //test/fuzz:load_fuzz //test/fuzz:reader_fuzz
binaries=$(bazel info --config=fuzz bazel-bin)/test/fuzz
mkdir -p build/fuzz/corpus build/fuzz/reader_corpus
options=(-timeout=10 -rss_limit_mb=2048 -artifact_prefix=build/fuzz/ -print_final_stats=1)
"$binaries/reader_fuzz" -max_total_time=$((seconds / 10 + 1)) -max_len=4096 "${options[@]}" \
  build/fuzz/reader_corpus test/fuzz/corpus
# The names of ops and attributes, which mutation alone would hardly find.
bazel run //tools:mace_run -- --list_ops | python3 -c '
import json, sys
names = {n for op in json.load(sys.stdin)["ops"] for n in [op["name"], *op["attrs"]]}
print("\n".join("\"" + n + "\"" for n in sorted(names)))' >build/fuzz/ops.dict
exec "$binaries/load_fuzz" -max_total_time=$((seconds - seconds / 10)) -max_len=8192 \
  -dict=build/fuzz/ops.dict "${options[@]}" build/fuzz/corpus test/fuzz/corpus
