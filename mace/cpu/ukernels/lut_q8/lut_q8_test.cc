// Every micro-kernel that looks up values and that this CPU can run, compared
// with the definition.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/lut_q8/lut_q8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/lut_q8/lut_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

std::vector<uint8_t> Quantized(size_t n, uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<uint8_t> quantized(n);
  for (uint8_t& value : quantized) value = static_cast<uint8_t>(random() >> 8);
  return quantized;
}

// Where x begins `offset` bytes after its memory.
void Check(const LutQ8& row, const std::vector<uint8_t>& table,
           const std::vector<uint8_t>& quantized, size_t offset) {
  const size_t n = quantized.size();
  std::vector<uint8_t> x(offset, 3);
  x.insert(x.end(), quantized.begin(), quantized.end());
  x.push_back(5);
  std::vector<uint8_t> want = x, got(x.size(), 5);
  std::fill_n(got.begin(), offset, uint8_t{3});
  for (size_t i = 0; i < n; ++i) want[offset + i] = table[quantized[i]];
  row.fn({n, table.data(), x.data() + offset, got.data() + offset});
  ASSERT_EQ(got, want) << n << " values at " << offset;
  row.fn({n, table.data(), x.data() + offset, x.data() + offset});
  ASSERT_EQ(x, want) << n << " values at " << offset << ", in place";
}

TEST(LutQ8, EveryValueAtEveryOffset) {
  const auto table = Quantized(256, 1);
  for (const LutQ8& row : kLutQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t shift = 0; shift < 256; ++shift) {
      std::vector<uint8_t> quantized(256);
      for (size_t i = 0; i < 256; ++i) {
        quantized[i] = static_cast<uint8_t>(i + shift);
      }
      Check(row, table, quantized, 0);
    }
  }
}

TEST(LutQ8, EverySize) {
  for (const LutQ8& row : kLutQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t n = 0; n <= 200; ++n) {
      Check(row, Quantized(256, static_cast<uint32_t>(n) + 1), Quantized(n, 7),
            n % 7);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
