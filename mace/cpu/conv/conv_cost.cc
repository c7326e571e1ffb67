// The work of convolutions by each method, and what it costs on each kind of
// CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_cost.h"

#include <algorithm>
#include <cmath>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/winograd/conv_winograd_q8.h"

namespace mace::cpu {
namespace {

// A GEMM tile with fewer rows takes as long as one with this many, because
// reading the filter limits it.
constexpr int64_t kConvCostFewRows = 4;

// test/costs fits the x86 rows that do not name a vendor. It measures
// convolutions with the caches in the state in which an engine leaves them;
// docs/performance.md has the errors of the fit. The other rows were set by
// hand: AMD's from the times of ten networks on Zen 5; Arm's sums by counting
// instructions, and its bytes as the multiply-adds that a core executes while
// it waits for a byte.
constexpr ConvCosts kCosts[] = {
#if defined(__x86_64__)
    {kCpuAvx512 | kCpuAmd, 1.11, 1.0, 1.3, 2.0},
    {kCpuAvx512, 1.25, 4.1, 2.9, 11.3},
    {kCpuAvx2Fma, 1.2, 2.2, 2.3, 7.2},
#elif defined(__ARM_NEON)
    {kCpuNeon, 1.11, 0.375, 1.3, 3.0},
#endif
    {0, 1.0, 0.1, 0.9, 1.6},
};

double Rows(const ConvShape& s) {
  return static_cast<double>(s.batch) * s.window.h.out * s.window.w.out;
}

// Return the loads, stores and arithmetic of one tile of one channel.
double InputOps(int m) {
  const int a = m + 2, pairs = m / 2;
  const int line = 2 * pairs + 2 * pairs * (pairs - 1) + 2 * pairs;
  return 2 * a * line + 3 * a * a;
}
double OutputOps(int m) {
  const int a = m + 2, pairs = m / 2;
  const int line = 2 * pairs + 2 * pairs * pairs;
  return (a + m) * line + 2 * a * a + m * m;
}

// Returns the bytes of the filter that are read in total, once for each block
// of rows.
double ReadBytes(double filter, double rows, double row_bytes,
                 const CacheSizes& caches) {
  const Blocks blocks = BlocksOf(caches);
  if (filter <= static_cast<double>(blocks.stays)) return filter;
  const double passes =
      std::ceil(rows * row_bytes / static_cast<double>(blocks.most_rows));
  return filter * std::max(passes, 1.0);
}

// The same for floats.
double ReadFloats(double filter, double rows, double row,
                  const CacheSizes& caches) {
  return ReadBytes(sizeof(float) * filter, rows, sizeof(float) * row, caches);
}

}  // namespace

ConvWork DirectWork(const ConvShape& s, const CacheSizes& caches) {
  const double filter =
      static_cast<double>(s.taps()) * s.in_per_group() * s.out_channels;
  ConvWork work;
  work.products = std::max<double>(Rows(s), kConvCostFewRows) * filter;
  const double depth = static_cast<double>(s.taps()) * s.in_per_group();
  const double block = std::min<double>(depth, BlocksOf(caches).gemm_depth);
  work.filter_bytes = ReadFloats(filter, Rows(s), block, caches);
  return work;
}

ConvWork WinogradWork(const ConvShape& s, int m, const CacheSizes& caches) {
  const double tiles = static_cast<double>(s.batch) *
                       CeilDiv(s.window.h.out, m) * CeilDiv(s.window.w.out, m);
  const double filter =
      static_cast<double>(m + 2) * (m + 2) * s.in_channels * s.out_channels;
  ConvWork work;
  work.products = std::max<double>(tiles, kConvCostFewRows) * filter;
  const double tile = static_cast<double>(m + 2) * (m + 2) * s.in_channels;
  work.filter_bytes = ReadFloats(filter, tiles, tile, caches);
  work.transforms =
      tiles * (s.in_channels * InputOps(m) + s.out_channels * OutputOps(m));
  return work;
}

ConvWork DirectWorkQ8(const ConvShape& s, const CacheSizes& caches) {
  const double depth = static_cast<double>(s.taps()) * s.in_per_group();
  const double filter = depth * s.out_channels;
  ConvWork work;
  work.products = Rows(s) * filter;
  work.filter_bytes = ReadBytes(filter, Rows(s), depth, caches);
  return work;
}

ConvWork WinogradWorkQ8(const ConvShape& s, const WinogradQ8& micro,
                        const CacheSizes& caches) {
  const int64_t tiles = WinogradQ8Tiles(s);
  const auto num_tiles = static_cast<double>(tiles);
  ConvWork work;
  work.products = static_cast<double>(AlignUp(tiles, micro.mr / 2)) *
                  kWinogradQ8Area * s.in_channels * s.out_channels;
  work.filter_bytes =
      ReadBytes(static_cast<double>(WinogradQ8FilterBytes(s, micro)), num_tiles,
                static_cast<double>(WinogradQ8TileBytes(s, micro)), caches);
  work.transforms = num_tiles * (micro.costs.input * s.in_channels +
                                 micro.costs.output * s.out_channels);
  return work;
}

ConvWork StrassenWork(const ConvShape& s, const CacheSizes& caches) {
  const double k = static_cast<double>(s.taps()) * s.in_channels;
  const double n = static_cast<double>(s.out_channels);
  const double rows = Rows(s);
  ConvWork work;
  work.products = 0.875 * std::max<double>(rows, 2 * kConvCostFewRows) * k * n;
  work.filter_bytes = ReadFloats(1.75 * k * n, rows / 2, 4 * k, caches);
  // Four sums of quarters of a; four products and two sums read and write their
  // results once more (see strassen.h).
  work.sums = rows * (3 * k + 3.75 * n);
  return work;
}

const ConvCosts& CostsOf(CpuFeatures features) {
  const ConvCosts* row = kCosts;
  while ((row->isa & features) != row->isa) ++row;
  return *row;
}

double Cost(const ConvWork& work, const ConvCosts& costs) {
  return work.products * costs.product + work.filter_bytes * costs.filter_byte +
         work.transforms * costs.transform + work.sums * costs.sum;
}

}  // namespace mace::cpu
