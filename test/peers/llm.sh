#!/bin/bash
# Decoders in MACE beside llama.cpp: test/peers/llm.sh [--models M,..] [--threads 1,2] [--rounds N]
#   [--json OUT] [--write]
# Their Arm instructions, under qemu: test/peers/llm.sh arm [--models M,..] [--cpus dotprod,i8mm]
#   [--functions] [--json OUT] [--write]
# SPDX-License-Identifier: Apache-2.0
#
# Without a network: MACE_LLAMA_CPP is a folder with the sources of llama.cpp in sources/, or with
# the programs that this script builds there; MACE_RUN is a mace_run; python3 has NumPy, protobuf
# and xxhash.
set -euo pipefail
cd "$(dirname "$0")/../.."
mode=llm
if [[ ${1:-} == arm ]]; then
  mode=llm_arm
  shift
fi
cache=${MACE_CACHE:-$HOME/.cache/mace}
python=$cache/venv/bin/python
check() { "$python" "test/peers/$mode.py" --check_arguments "$@"; }
[[ ! -x $python ]] || check "$@"  # before anything is installed or built
if [[ $mode == llm_arm ]]; then
  tools/setup.sh --for test
elif [[ -z ${MACE_RUN:-} ]]; then
  tools/setup.sh --for run
fi
[[ -x $python ]] || python=python3
check "$@"
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

# build NAME COMPILER OPTION..: of CMake, for this CPU if they name no other.
build() {
  [[ -x $llama/$1 ]] && return
  [[ -d $llama/sources ]] || fetch
  echo "peers: building $1 with $2" >&2
  # The C compiler of the same kind, which takes the same flags.
  local cc; cc=$(sed 's/clang++/clang/; s/g++/gcc/; s/c++$/cc/' <<< "$2")
  cmake -S test/peers/llama -B "$llama/build_$1" -DCMAKE_BUILD_TYPE=Release "${@:3}" \
    -DLLAMA="$llama/sources" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$2" > "$llama/$1.log"
  cmake --build "$llama/build_$1" --target llama_worker -j "$(nproc)" >> "$llama/$1.log" 2>&1 ||
    { tail -20 "$llama/$1.log" >&2; return 1; }
  mv "$llama/build_$1/llama_worker" "$llama/$1"
}

if [[ $mode == llm_arm ]]; then
  for extensions in dotprod i8mm+dotprod; do
    build "llama.cpp_${extensions%%+*}" aarch64-linux-gnu-g++ -DARM="armv8.2-a+fp16+$extensions" \
      -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
  done
else
  build llama.cpp "${CXX:-c++}" -DAMX=OFF
  # GCC 12 drops what configures the tiles: its AMX build ends with SIGILL.
  clang=$(compgen -c clang++- | sort -V | tail -1)
  if grep -q amx_int8 /proc/cpuinfo; then
    build llama.cpp_amx "${clang:-${CXX:-c++}}" -DAMX=ON
  fi
fi
MACE_LLAMA_CPP=$llama exec "$python" "test/peers/$mode.py" "$@"
