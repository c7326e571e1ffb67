// Every micro-kernel that adds quantized values and that this CPU can run,
// compared with plain C++.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cfenv>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/add_q8/add_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

std::vector<uint8_t> Quantized(size_t n, uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<uint8_t> quantized(n);
  for (uint8_t& q : quantized) q = static_cast<uint8_t>(random() >> 8);
  return quantized;
}

void Check(const AddQ8& row, AddQ8Args args) {
  const auto a = Quantized(args.n, 1), b = Quantized(args.n, 2);
  std::vector<uint8_t> want(args.n + 1, 9), got = want;
  args.a.quantized = a.data();
  args.b.quantized = b.data();
  args.y = want.data();
  add_q8__scalar(args);
  args.y = got.data();
  row.fn(args);
  ASSERT_EQ(got, want) << args.n << " values";
  if (args.n == 0) return;
  got = a;  // in place
  args.a.quantized = args.y = got.data();
  row.fn(args);
  want.pop_back();
  ASSERT_EQ(got, want) << "in place";
}

TEST(AddQ8, EveryFactor) {
  const AddQ8Factor factors[] = {
      {1 << 30, 0},    {1 << 30, 1},     {1 << 30, 7},  {1234567891, 0},
      {2147483647, 2}, {1987654321, 19}, {1 << 30, 30}, {0, 0}};
  for (const AddQ8& row : kAddQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const AddQ8Factor& f : factors) {
      for (const AddQ8Factor& g : factors) {
        for (int right = 15; right <= 22; ++right) {
          for (const bool is_unsigned : {false, true}) {
            const int32_t low = is_unsigned ? 0 : -128;
            const AddQ8Factor y = {right % 2 == 0 ? 1 << 30 : 1777777777,
                                   right};
            if (f.mantissa > 1 << 30 && f.right == 0) continue;
            if (g.mantissa > 1 << 30 && g.right == 0) continue;
            // Also where the zero point is the smallest value.
            for (const int32_t least : {low, low + 100}) {
              Check(row, {300,
                          {nullptr, low, f},
                          {nullptr, low + 255, g},
                          right % 3 == 0,
                          is_unsigned,
                          y,
                          low + 100,
                          least,
                          low + 255,
                          nullptr});
            }
          }
        }
      }
    }
  }
}

// Long enough for a micro-kernel that computes most sums another way. With
// factors that are powers of two, many sums lie in the middle between two
// quantized values.
TEST(AddQ8, LongOnesNearTheMiddle) {
  const AddQ8Factor factors[] = {
      {1 << 30, 0}, {1 << 30, 1}, {1 << 30, 2}, {1234567891, 1}};
  for (const AddQ8& row : kAddQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const AddQ8Factor& f : factors) {
      for (const AddQ8Factor& g : factors) {
        for (int right = 17; right <= 21; ++right) {
          for (const bool is_unsigned : {false, true}) {
            const int32_t low = is_unsigned ? 0 : -128;
            for (const int32_t mantissa : {1 << 30, 1414213562}) {
              Check(row, {5003,
                          {nullptr, low + 3, f},
                          {nullptr, low + 131, g},
                          right % 2 == 0,
                          is_unsigned,
                          {mantissa, right},
                          low + 127,
                          low,
                          low + 255,
                          nullptr});
            }
          }
        }
      }
    }
  }
}

#if defined(__x86_64__)
// The rounding mode of the caller's thread does not matter.
TEST(AddQ8, EveryRoundingMode) {
  const int before = std::fegetround();
  for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    for (const AddQ8& row : kAddQ8) {
      if (!RunsHere(row)) continue;
      SCOPED_TRACE(row.name);
      Check(row, {5003,
                  {nullptr, 3, {1 << 30, 0}},
                  {nullptr, -7, {1300000000, 2}},
                  false,
                  false,
                  {1500000000, 19},
                  5,
                  -128,
                  127,
                  nullptr});
    }
  }
  std::fesetround(before);
}
#endif

TEST(AddQ8, EverySize) {
  for (const AddQ8& row : kAddQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t n = 0; n <= 140; ++n) {
      Check(row, {n,
                  {nullptr, 3, {1 << 30, 0}},
                  {nullptr, -7, {1300000000, 2}},
                  false,
                  false,
                  {1500000000, 19},
                  5,
                  3,
                  90,
                  nullptr});
      Check(row, {n,
                  {nullptr, 130, {1100000000, 1}},
                  {nullptr, 7, {1 << 30, 0}},
                  false,
                  true,
                  {1500000000, 20},
                  3,
                  3,
                  200,
                  nullptr});
    }
  }
}

}  // namespace
}  // namespace mace::cpu
