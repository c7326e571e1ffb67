// Measuring the peak performance of a CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/machine_limits.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/peak/peak_f32_table.h"
#include "mace/cpu/ukernels/peak/peak_q8_table.h"

namespace mace::cpu {
namespace {

constexpr int kTries = 5;
// A few milliseconds of multiply-adds on any recent CPU.
constexpr size_t kRounds = 1 << 20;
// Three arrays of this many floats take 192 MiB, more than the caches of most
// CPUs. Where they fit (MachineLimits::cache_bytes), the last level is
// measured.
constexpr size_t kFloats = 16 << 20;

double Seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t LargestCacheBytes() {
  int64_t most = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE}) {
    most = std::max<int64_t>(most, sysconf(level));
  }
#endif
  return most;
}

// Returns the shortest time of a few runs.
template <typename F>
double Shortest(const F& f) {
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const double begin = Seconds();
    f();
    best = std::min(best, Seconds() - begin);
  }
  return best;
}

}  // namespace

Result<MachineLimits> MeasureLimits(ThreadPool* threads, CpuFeatures features) {
  const PeakF32Set& set = *ChooseRow(kPeakF32, features).set;
  const size_t num_threads = threads->num_threads();
  MachineLimits limits;
  limits.cache_bytes = LargestCacheBytes();
  volatile float keep = 0;
  const double fma_s = Shortest([&] {
    threads->ParallelFor(num_threads, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        keep = set.multiply_add(kRounds, 0.5f, 0.5f);
      }
    });
  });
  limits.gflops = 2e-9 * kRounds * set.fmas_per_round * num_threads / fma_s;
  const PeakQ8& q8 = ChooseRow(kPeakQ8, features);
  volatile int32_t keep_q8 = 0;
  const double q8_s = Shortest([&] {
    threads->ParallelFor(num_threads, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) keep_q8 = q8.fn(kRounds, 1, 1);
    });
  });
  limits.int8_gops = 2e-9 * kRounds * q8.macs_per_round * num_threads / q8_s;

  AlignedBuffer buffers[3];
  for (AlignedBuffer& buffer : buffers) {
    MACE_ASSIGN_OR_RETURN(
        buffer, AlignedBuffer::Create(kFloats * sizeof(float), "measuring"));
  }
  auto* a = static_cast<float*>(buffers[0].data());
  auto* b = static_cast<float*>(buffers[1].data());
  auto* y = static_cast<float*>(buffers[2].data());
  std::fill_n(a, kFloats, 1.f);
  std::fill_n(b, kFloats, 1.f);
  const double triad_s = Shortest([&] {
    threads->ParallelFor(
        kFloats, kFloats / num_threads / 4, [&](size_t begin, size_t end) {
          set.triad(end - begin, a + begin, b + begin, 0.5f, y + begin);
        });
  });
  limits.memory_gbps = 1e-9 * 3 * sizeof(float) * kFloats / triad_s;
  const double read_s = Shortest([&] {
    threads->ParallelFor(kFloats, kFloats / num_threads / 4,
                         [&](size_t begin, size_t end) {
                           keep = set.read(end - begin, a + begin);
                         });
  });
  limits.read_gbps = 1e-9 * sizeof(float) * kFloats / read_s;
  return limits;
}

}  // namespace mace::cpu
