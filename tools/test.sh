#!/bin/bash
# Sets up, runs the test suites and ends with the line "N passed, N failed, N skipped".
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail

usage() {
  cat <<'TXT'
usage: tools/test.sh [SUITE ...]      (the first group when none is named)

  lint     layers, licences, banned words, sizes, formatting
  host     C++ unit tests on this machine
  gpu      every op on the GPU, by PoCL: OpenCL on this machine's CPU
  dsp      the executor for Hexagon DSPs, under qemu-hexagon, and the vendor's library, by a stand-in
  python   tests of tools/, and of whole models from their file to their answer

  deep     the next seven; the last four are builds of their own (about ten minutes each on two cores from a cold cache)
  rusticl  what gpu runs, by Mesa's rusticl, whose images have other pitches
  oclgrind the same, without the largest cases, watched for data races and wrong calls of OpenCL
  library  outside projects that link the library, for both Arms under qemu, too; all files for Android's targets
  asan     C++ unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
  mutations  2,000 mutated models, loaded, planned and run as asan is built; tools/mutations.sh takes another count
  aarch64  C++ unit tests cross-built and run under qemu
  armv7    the same for 32-bit Arm

  all      all of the above
  arm      aarch64 and armv7
  tsan     the thread pool and the engine under ThreadSanitizer
  docker   the steps of docker/Dockerfile in a folder that debootstrap makes; needs root and the network
  fuzz     all that meets untrusted models under libFuzzer, 10 minutes

MACE_TEST_DATA names the folder of models and conformance data (default ../shared); tests whose data
is not there are counted as skipped. Build results are kept in $MACE_CACHE (default ~/.cache/mace).
TXT
}

targets=(//mace/... //tools/... //test/...)
standard=(lint host gpu dsp python)
deep=(rusticl oclgrind library asan mutations aarch64 armv7)
suites=()
for argument in "$@"; do
  case $argument in
    lint | host | gpu | dsp | rusticl | oclgrind | library | python | asan | mutations | aarch64 | armv7 | tsan | docker | fuzz) suites+=("$argument") ;;
    arm) suites+=(aarch64 armv7) ;;
    deep) suites+=("${deep[@]}") ;;
    all) suites+=("${standard[@]}" "${deep[@]}") ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test: unknown suite '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done
((${#suites[@]})) || suites=("${standard[@]}")

cd "$(dirname "$0")/.." || exit 1
tools/setup.sh --for test || exit 1

cache=${MACE_CACHE:-$HOME/.cache/mace}
export MACE_TEST_DATA=${MACE_TEST_DATA:-../shared}
MACE_TEST_DATA=$(realpath -m "$MACE_TEST_DATA")
[[ -d $MACE_TEST_DATA ]] ||
  echo "test: no folder $MACE_TEST_DATA: the tests that read it will be skipped" >&2

results=build/test
rm -rf "$results"
mkdir -p "$results"

run_bazel() { # SUITE bazel-arguments...
  local suite=$1
  shift
  bazel test --disk_cache="$cache/bazel" --keep_going --build_tests_only \
    --test_summary=none --show_result=0 --noshow_progress --ui_event_filters=-info \
    --test_env=MACE_TEST_DATA="$MACE_TEST_DATA" \
    --build_event_json_file="$results/$suite.events.json" "$@"
}

run_gpu() { # SUITE file-of-the-driver bazel-arguments...
  local suite=$1 driver=$2
  shift 2
  # A suite that found no driver would test nothing.
  run_bazel "$suite" --test_env=OCL_ICD_VENDORS="$driver" --test_env=MACE_TEST_NEEDS_GPU=1 \
    "$@" //mace/...
}

run_pocl() { # which compiles each kernel for each group size and keeps the results
  mkdir -p "$cache/pocl"
  run_gpu gpu /etc/OpenCL/vendors/pocl.icd --test_tag_filters=gpu \
    --sandbox_writable_path="$cache/pocl" --test_env=POCL_CACHE_DIR="$cache/pocl"
}

run_oclgrind() {
  run_gpu oclgrind /usr/lib/oclgrind/liboclgrind-rt-icd.so --test_tag_filters=gpu,-no_oclgrind \
    --run_under=//tools:under_oclgrind
}

run_pytest() { # SUITE folders...
  local suite=$1
  shift
  "$cache/venv/bin/python" -m pytest -q --junitxml="$results/$suite.xml" "$@"
}

run_script() { # SUITE script: one that ends with an error where it finds a fault
  local said=build/test/$1.log
  if "$2" >"$said" 2>&1; then
    echo "<testsuite><testcase classname=\"$1\" name=\"models\"/></testsuite>" >"$results/$1.xml"
  else
    tail -n 40 "$said" >&2
    return 1
  fi
}

run_suite() {
  case $1 in
    lint) run_pytest lint tools/lint ;;
    host) run_bazel host --test_tag_filters=-gpu "${targets[@]}" ;;
    gpu) run_pocl ;;
    dsp)
      local failed=0
      run_bazel dsp --test_tag_filters=dsp //mace/hexagon:dsp_tests //mace/hexagon:library_test \
        //test/hexagon:device_test //test/hexagon:engine_test //test/hexagon:vendor_engine_test \
        //test/hexagon:vendor_mapping_test || failed=1
      run_pytest dsp test/hexagon && return "$failed" ;;
    rusticl)
      run_gpu rusticl /etc/OpenCL/vendors/rusticl.icd --test_tag_filters=gpu \
        --test_env=RUSTICL_ENABLE=llvmpipe ;;
    oclgrind) run_oclgrind ;;
    asan) run_bazel asan --config=asan --test_tag_filters=-no_asan,-gpu "${targets[@]}" ;;
    tsan) run_bazel tsan --config=tsan //mace/base:all //mace/runtime:all ;;
    aarch64 | armv7)
      run_bazel "$1" --config="$1" --test_tag_filters=-no_qemu,-gpu "${targets[@]}" ;;
    library) MACE_TEST_LIBRARY=all run_pytest library test/library ;;
    docker) MACE_TEST_DOCKER=all run_pytest docker test/docker ;;
    fuzz | mutations) run_script "$1" "tools/$1.sh" ;;
    python)
      bazel build --disk_cache="$cache/bazel" --show_result=0 --noshow_progress \
        --ui_event_filters=-info //tools:mace_run //tools:mace_plan &&
        run_pytest python --ignore=tools/lint --ignore=test/hexagon tools test ;;
  esac
}

for suite in "${suites[@]}"; do
  echo "== $suite" >&2
  start=$EPOCHREALTIME
  run_suite "$suite"
  status=$?
  echo "$suite $status $start $EPOCHREALTIME" >>"$results/suites.txt"
done

exec /usr/bin/python3 tools/test_report.py "$results"
