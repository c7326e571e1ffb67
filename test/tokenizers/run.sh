#!/bin/sh
# Compares tokenizers with their libraries: test/tokenizers/against_libraries.py says how.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
env="${XDG_CACHE_HOME:-$HOME/.cache}/mace/tokenizers_venv"
if [ ! -x "$env/bin/python" ]; then
  python3 -m venv "$env"
fi
"$env/bin/pip" install -q tokenizers==0.23.3 sentencepiece==0.2.3 numpy xxhash
bazel build --disk_cache="$HOME/.cache/mace/bazel" //tools/mace_run
PYTHONPATH=tools exec "$env/bin/python" test/tokenizers/against_libraries.py "${@:-2000}"
