// Times a typical call of every micro-kernel that this CPU can run.
// SPDX-License-Identifier: Apache-2.0
//
// Reports GFLOP/s, where a multiply-add counts as two operations, and their
// share of the float32 peak of one core. Functions with hardly any arithmetic
// report GB/s to and from the first-level cache, and their share of the memory
// bandwidth; more than 100 % means that memory is slower than the function. All
// times are those of one core.
//   bazel run //mace/cpu:ukernels_bench -- --benchmark_filter=gemm

#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <memory>

#include "mace/cpu/common/machine_limits.h"
#include "mace/cpu/ukernels/testing/calls.h"

namespace mace::cpu {
namespace {

void Time(benchmark::State& state, const UkernelCall& call,
          const MachineLimits& limits) {
  const std::clock_t begin = std::clock();
  for (auto _ : state) call.run();
  const double seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const bool computes = call.macs > 0;
  const double rate = 1e-9 * (computes ? 2 * call.macs : call.bytes) *
                      static_cast<double>(state.iterations()) / seconds;
  state.counters[computes ? "GFLOP/s" : "GB/s"] = rate;
  state.counters["% of peak"] =
      100 * rate / (computes ? limits.gflops : limits.memory_gbps);
}

int RunAll(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const CpuFeatures features = DetectCpuFeatures();
  auto threads = ThreadPool::Create(1);
  if (!threads.ok()) {
    std::fprintf(stderr, "%s\n", threads.status().information().c_str());
    return 1;
  }
  const auto limits = MeasureLimits(threads->get(), features);
  if (!limits.ok()) {
    std::fprintf(stderr, "%s\n", limits.status().information().c_str());
    return 1;
  }
  std::printf("one core of %s: %.1f GFLOP/s of float32, %.1f GB/s\n",
              ToString(features).c_str(), limits->gflops, limits->memory_gbps);
  const auto calls = TypicalCalls();
  for (const UkernelCall& call : calls) {
    if ((call.isa & features) != call.isa) continue;
    benchmark::RegisterBenchmark(call.name.c_str(), Time, call, *limits);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace mace::cpu

int main(int argc, char** argv) { return mace::cpu::RunAll(argc, argv); }
