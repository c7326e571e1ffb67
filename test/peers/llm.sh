#!/bin/bash
# Decoders in MACE beside llama.cpp: test/peers/llm.sh [--models M,..] [--threads 1,2] [--rounds N]
#   [--json OUT] [--write]
# SPDX-License-Identifier: Apache-2.0
#
# Without a network: MACE_LLAMA_CPP is a folder with the sources of llama.cpp in sources/, or with
# the programs that this script builds there; MACE_RUN is a mace_run; python3 has NumPy, protobuf
# and xxhash.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ -n ${MACE_RUN:-} ]] || tools/setup.sh --for run
cache=${MACE_CACHE:-$HOME/.cache/mace}
python=$cache/venv/bin/python
[[ -x $python ]] || python=python3
wanted=$PWD/test/peers/llama/requirements.txt
llama=${MACE_LLAMA_CPP:-$cache/peers/llama.cpp-$(sha256sum "$wanted" | head -c 12)}
mkdir -p "$llama"

fetch() {
  echo "peers: loading the sources of llama.cpp" >&2
  local at; at=$(mktemp -d "$llama/fetch.XXXXXX")
  "$python" -m pip download -q --disable-pip-version-check --no-deps --require-hashes \
    --no-binary llama-cpp-python -d "$at" -r "$wanted"
  tar -xzf "$at"/*.tar.gz -C "$at"
  mv "$at"/*/vendor/llama.cpp "$llama/sources"
  rm -r "$at"
}

# build NAME ON|OFF COMPILER: for this CPU, with AMX or without.
build() {
  [[ -x $llama/$1 ]] && return
  [[ -d $llama/sources ]] || fetch
  echo "peers: building llama.cpp with $3, AMX $2" >&2
  # The C compiler of the same kind, which takes the same flags.
  local cc; cc=$(sed 's/clang++/clang/; s/g++/gcc/; s/c++$/cc/' <<< "$3")
  cmake -S test/peers/llama -B "$llama/build_$1" -DCMAKE_BUILD_TYPE=Release -DAMX="$2" \
    -DLLAMA="$llama/sources" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$3" > "$llama/$1.log"
  cmake --build "$llama/build_$1" --target llama_worker -j "$(nproc)" >> "$llama/$1.log" 2>&1 ||
    { tail -20 "$llama/$1.log" >&2; return 1; }
  mv "$llama/build_$1/llama_worker" "$llama/$1"
}

build llama.cpp OFF "${CXX:-c++}"
# GCC 12 drops what configures the tiles: its AMX build ends with SIGILL.
clang=$(compgen -c clang++- | sort -V | tail -1)
if grep -q amx_int8 /proc/cpuinfo; then build llama.cpp_amx ON "${clang:-${CXX:-c++}}"; fi
MACE_LLAMA_CPP=$llama exec "$python" test/peers/llm.py "$@"
