#!/bin/bash
# MACE beside its peers: test/peers/run.sh [--int8 | --gpu] [--models M,..] [--threads 1,2] [--rounds N]
#   [--pace=33] [--json OUT] [--chart OUT.png]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh --for run
cache=${MACE_CACHE:-$HOME/.cache/mace}
venv=$cache/peers
wanted=$PWD/test/peers/requirements.txt
if ! cmp -s "$wanted" "$venv/requirements.txt"; then
  echo "peers: installing the other engines into $venv" >&2
  [[ -x $venv/bin/python ]] || /usr/bin/python3 -m venv "$venv"
  # One by one, so that an engine that does not exist for this machine stops no other: the benchmark
  # names those that are missing.
  missing=0
  while read -r package; do
    "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps "$package" ||
      { missing=1; echo "peers: $package could not be installed" >&2; }
  done < <(grep -v '^#' "$wanted")
  ((missing)) || cp "$wanted" "$venv/requirements.txt"
fi
MACE_CACHE=$cache exec "$venv/bin/python" test/peers/bench.py "$@"
