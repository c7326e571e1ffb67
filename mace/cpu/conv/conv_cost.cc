// The costs of direct, Winograd's and Strassen's convolutions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_cost.h"

#include <algorithm>

#include "mace/cpu/common/blocking.h"

namespace mace::cpu {
namespace {

// Multiply-adds in the time that a byte of filter takes to arrive from memory
// or the last-level cache: measured 1.2 (Zen 4 from L3) to 6 (from memory) with
// AVX-512, partly hidden by prefetching. An Arm core multiplies a quarter as
// much in that time: 8 a cycle instead of 32.
#if defined(__ARM_NEON)
constexpr double kPerFilterByte = 1.5 / 4;
#else
constexpr double kPerFilterByte = 1.5;
#endif
// Share of the peak that the micro-kernels reach.
constexpr double kEfficiency = 0.9;
// A vector instruction of the transforms, which wait for each other and for
// the first-level cache, against a multiply-add of a GEMM.
constexpr double kPerTransformOp = 1.3;
// A load, store or sum of a Strassen product, which end its tiles earlier: on
// Arm counted, 1.8 (MobileNet v1) to 3.7 (v2, whose layers have few rows).
#if defined(__ARM_NEON)
constexpr double kPerSumOp = 3;
#else
constexpr double kPerSumOp = 2;
#endif
// Rows below which a GEMM tile waits for its filter instead.
constexpr int64_t kFewRows = 4;

// Loads, stores and arithmetic of one tile and channel.
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

// Of a filter of so many floats.
double FilterCost(double floats) { return 4 * floats * kPerFilterByte; }

}  // namespace

double DirectCost(const ConvShape& s) {
  const double filter =
      static_cast<double>(s.taps()) * s.in_per_group() * s.out_channels;
  const double rows =
      static_cast<double>(s.batch) * s.window.h.out * s.window.w.out;
  return std::max<double>(rows, kFewRows) * filter / kEfficiency +
         FilterCost(filter);
}

double WinogradCost(const ConvShape& s, int m) {
  const double tiles = static_cast<double>(s.batch) *
                       CeilDiv(s.window.h.out, m) * CeilDiv(s.window.w.out, m);
  const double filter =
      static_cast<double>(m + 2) * (m + 2) * s.in_channels * s.out_channels;
  return std::max<double>(tiles, kFewRows) * filter / kEfficiency +
         FilterCost(filter) +
         kPerTransformOp * tiles *
             (s.in_channels * InputOps(m) + s.out_channels * OutputOps(m));
}

double StrassenCost(const ConvShape& s) {
  const double k = static_cast<double>(s.taps()) * s.in_channels;
  const double n = static_cast<double>(s.out_channels);
  const double rows =
      static_cast<double>(s.batch) * s.window.h.out * s.window.w.out;
  // Four sums of quarters of a; four products and two sums more that are read
  // and written (see strassen.h).
  const double ops = rows * (3 * k + 3.75 * n);
  return 0.875 * std::max<double>(rows, 2 * kFewRows) * k * n / kEfficiency +
         FilterCost(1.75 * k * n) + kPerSumOp * ops;
}

}  // namespace mace::cpu
