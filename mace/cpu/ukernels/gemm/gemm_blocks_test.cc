// Every GEMM micro-kernel of int8 times blocks that this CPU can run,
// against sums in double precision of what the blocks stand for.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks_table.h"
#include "mace/cpu/ukernels/testing/pack_rows.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t m, n, k;
  bool bias = true, add = false;
};

// Columns of quantized weights with a scale, and perhaps a zero point, for each
// block.
struct Weights {
  Weights(const Case& c, Element type_in, uint32_t seed = 0)
      : type(type_in),
        k(c.k),
        blocks((c.k + kGemmBlock - 1) / kGemmBlock),
        scales(c.n * blocks),
        zeros(c.n * blocks),
        values(c.n * blocks * kGemmBlock) {
    std::mt19937 rng(static_cast<uint32_t>(c.n * 100 + c.k) + seed);
    for (size_t s = 0; s < scales.size(); ++s) {
      // Some are denormals of fp16, some are negative.
      scales[s] = ToFp16((s % 5 == 0 ? 3e-6f : 0.02f) * (s % 3 ? 1 : -1));
      zeros[s] = ToFp16(static_cast<float>(rng() % 64) / 4);
    }
    for (int& value : values) {
      value = type == Element::kW8Block ? static_cast<int>(rng() % 256) - 128
                                        : static_cast<int>(rng() % 16);
    }
  }
  double At(size_t column, size_t at) const {
    const size_t s = column * blocks + at / kGemmBlock;
    const double zero = type == Element::kW8Block   ? 0
                        : type == Element::kQ4Block ? 8
                                                    : FromFp16(zeros[s]);
    return double{FromFp16(scales[s])} * (ValueAt(column, at) - zero);
  }
  int ValueAt(size_t column, size_t at) const {
    return values[column * blocks * kGemmBlock + at];
  }

  // A panel; what belongs to no column is anything.
  std::vector<uint8_t> Panel(const GemmUkernel& kernel) const {
    const auto nr = static_cast<size_t>(kernel.nr);
    const auto group = static_cast<size_t>(kernel.packing.group);
    const size_t bytes = SizeOf(type) * nr;
    const bool is_w8 = type == Element::kW8Block;
    std::vector<uint8_t> panel(blocks * bytes, 0x5a);
    for (size_t c = 0; c < scales.size(); ++c) {
      const size_t column = c / blocks, first = c % blocks * kGemmBlock;
      uint8_t* block = panel.data() + c % blocks * bytes;
      std::memcpy(block + 2 * column, &scales[c], 2);
      block += 2 * nr;
      if (type == Element::kQ4ZeroBlock) {
        std::memcpy(block + 2 * column, &zeros[c], 2);
        block += 2 * nr;
      }
      for (size_t i = 0; i < (is_w8 ? kGemmBlock : kGemmBlock / 2); ++i) {
        const int value = ValueAt(column, first + i);
        block[i / group * nr * group + column * group + i % group] =
            static_cast<uint8_t>(
                is_w8 ? value + (kernel.packing.b_min == 0 ? 128 : 0)
                      : value | ValueAt(column, first + i + 16) << 4);
      }
    }
    return panel;
  }

  Element type;
  size_t k, blocks;
  std::vector<uint16_t> scales, zeros;
  std::vector<int> values;
};

// What a row stands for once it is quantized: within half a step.
std::vector<double> Quantized(const float* row, size_t k) {
  std::vector<double> values(k);
  float most = 0;
  for (size_t i = 0; i < k; ++i) most = std::max(most, std::fabs(row[i]));
  const double step = double{most} / 127;
  for (size_t i = 0; i < k; ++i) {
    values[i] = most > 0 ? std::nearbyint(row[i] * (127 / most)) * step : 0;
    EXPECT_NEAR(values[i], row[i], 0.5001 * step);
  }
  return values;
}

void Check(const GemmUkernel& kernel, const Case& c) {
  SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(c.m) + "x" +
               std::to_string(c.n) + "x" + std::to_string(c.k));
  std::vector<float> x = RandomFloats(c.m * c.k);
  if (c.k > 40) std::fill_n(x.begin(), kGemmBlock, 0.f);  // a block of zeros
  if (c.m > 1) std::fill_n(x.begin() + c.k, c.k, 0.f);    // a row of them
  const Weights w(c, kernel.types.b);
  const auto panel = w.Panel(kernel);
  const auto stride = static_cast<ptrdiff_t>(c.k);
  std::vector<Q8Block> packed((c.m + kernel.mr) * w.blocks);
  void* to = packed.data();
  for (size_t first = 0; first < c.m; first += kernel.mr) {
    const void* rows[kGemmMaxRows];
    const size_t m = std::min<size_t>(c.m - first, kernel.mr);
    for (size_t i = 0; i < m; ++i) rows[i] = &x[(first + i) * c.k];
    to = kernel.pack({m, c.k, 1, rows, stride}, to);
  }
  ASSERT_EQ(to, packed.data() + c.m * w.blocks);
  const auto bias = RandomFloats(c.n), addend = RandomFloats(c.m * c.n);
  std::vector<float> y((c.m - 1) * (c.n + 3) + c.n + 1, 7);
  GemmTile tile = {};
  tile.m = c.m;
  tile.n = c.n;
  tile.k = c.k;
  tile.segments = 1;
  tile.a = packed.data();
  tile.b = panel.data();
  tile.c = y.data();
  tile.c_stride = static_cast<ptrdiff_t>(c.n + 3);
  tile.bias = c.bias ? bias.data() : nullptr;
  tile.addend = c.add ? addend.data() : nullptr;
  tile.addend_stride = static_cast<ptrdiff_t>(c.n);
  tile.lower = -1;
  tile.upper = 1;
  tile.a_packed = true;
  kernel.fn(tile);
  for (size_t i = 0; i < c.m; ++i) {
    const auto row = Quantized(&x[i * c.k], c.k);
    for (size_t j = 0; j < c.n; ++j) {
      double want = (c.bias ? bias[j] : 0) + (c.add ? addend[i * c.n + j] : 0);
      double magnitude = 1;
      for (size_t k = 0; k < c.k; ++k) {
        want += row[k] * w.At(j, k);
        magnitude += std::fabs(row[k] * w.At(j, k));
      }
      ASSERT_NEAR(y[i * (c.n + 3) + j], std::fmin(std::fmax(want, -1), 1),
                  1e-6 * magnitude)
          << "row " << i << " column " << j;
    }
  }
  EXPECT_EQ(y.back(), 7);
}

TEST(GemmBlocks, EverySize) {
  for (const GemmUkernel& kernel : kGemmBlocks) {
    if (!RunsHere(kernel)) continue;
    const auto mr = static_cast<size_t>(kernel.mr);
    const auto nr = static_cast<size_t>(kernel.nr);
    for (size_t m = 1; m <= mr; ++m) {
      for (size_t n = 1; n <= nr; ++n) Check(kernel, {m, n, 64});
    }
    for (size_t k = 1; k <= 100; ++k) Check(kernel, {mr, nr, k, false, true});
    Check(kernel, {3 * mr + 1, nr, 200, true, true});
    // More than are kept in the first-level cache.
    Check(kernel, {9 * mr + 1, nr, 4200, true, true});
  }
}

// A row by several panels at once is what it is by one after the other.
void CheckRow(const GemmUkernel& kernel, size_t n, size_t k) {
  SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(n) + "x" +
               std::to_string(k));
  const auto nr = static_cast<size_t>(kernel.nr);
  const std::vector<float> x = RandomFloats(k), bias = RandomFloats(n);
  const std::vector<float> addend = RandomFloats(n);
  std::vector<Q8Block> packed((k + kGemmBlock - 1) / kGemmBlock);
  const void* row = x.data();
  kernel.pack({1, k, 1, &row, 0}, packed.data());
  std::vector<uint8_t> panels;
  for (size_t column = 0; column < n; column += nr) {
    const Case c = {1, std::min(nr, n - column), k};
    const auto panel =
        Weights(c, kernel.types.b, static_cast<uint32_t>(column)).Panel(kernel);
    panels.insert(panels.end(), panel.begin(), panel.end());
  }
  const size_t bytes = panels.size() / ((n + nr - 1) / nr);
  std::vector<float> want(n), y(n + 1, 7);
  GemmTile tile = {};
  tile.m = tile.segments = 1;
  tile.k = k;
  tile.a = packed.data();
  tile.a_packed = true;
  tile.lower = -1;
  tile.upper = 1;
  for (size_t column = 0; column < n; column += nr) {
    tile.n = std::min(nr, n - column);
    tile.b = &panels[column / nr * bytes];
    tile.c = &want[column];
    tile.bias = &bias[column];
    tile.addend = &addend[column];
    kernel.fn(tile);
  }
  tile.n = n;
  tile.b = panels.data();
  tile.c = y.data();
  tile.bias = bias.data();
  tile.addend = addend.data();
  kernel.row(tile);
  EXPECT_EQ(y.back(), 7);
  y.pop_back();
  EXPECT_EQ(y, want);
}

TEST(GemmBlocks, RowByPanels) {
  for (const GemmUkernel& kernel : kGemmBlocks) {
    if (!RunsHere(kernel) || kernel.row == nullptr) continue;
    for (const size_t n : {1, 16, 17, 48, 85, 160}) {
      for (const size_t k : {20, 32, 200}) CheckRow(kernel, n, k);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
