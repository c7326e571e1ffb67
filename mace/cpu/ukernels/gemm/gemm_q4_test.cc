// Every GEMM micro-kernel of int8 times int4 in blocks that this CPU can run,
// against sums in double precision of what the blocks stand for.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_q4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/testing/pack_rows.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t m, n, k;
  bool bias = true, add = false;
};

// Columns of int4 with a scale for each block.
struct Weights {
  explicit Weights(const Case& c)
      : blocks((c.k + kQ4Block - 1) / kQ4Block), columns(c.n * blocks) {
    std::mt19937 rng(static_cast<uint32_t>(c.n * 100 + c.k));
    for (size_t s = 0; s < columns.size(); ++s) {
      // Some are denormals of fp16, some are negative.
      const float scale = (s % 5 == 0 ? 3e-6f : 0.02f) * (s % 3 ? 1 : -1);
      columns[s].scale.bits = ToFp16(scale);
      for (uint8_t& pair : columns[s].pairs) pair = static_cast<uint8_t>(rng());
    }
  }
  double At(size_t column, size_t k) const {
    const Q4Block& block = columns[column * blocks + k / kQ4Block];
    const uint8_t pair = block.pairs[k % 16];
    const int value = (k % kQ4Block < 16 ? pair & 15 : pair >> 4) - 8;
    return double{FromFp16(block.scale.bits)} * value;
  }
  // A panel of nr columns; what belongs to no column is anything.
  std::vector<uint8_t> Panel(size_t nr) const {
    std::vector<uint8_t> panel(blocks * nr * sizeof(Q4Block), 0x5a);
    for (size_t c = 0; c < columns.size(); ++c) {
      const size_t column = c / blocks;
      uint8_t* block = panel.data() + c % blocks * nr * sizeof(Q4Block);
      std::memcpy(block + column * sizeof(Fp16), &columns[c].scale,
                  sizeof(Fp16));
      for (size_t g = 0; g < 4; ++g) {
        std::memcpy(block + nr * sizeof(Fp16) + (g * nr + column) * 4,
                    columns[c].pairs + 4 * g, 4);
      }
    }
    return panel;
  }

  size_t blocks;
  std::vector<Q4Block> columns;
};

// What a row stands for once it is quantized: within half a step.
std::vector<double> Quantized(const float* row, size_t k) {
  std::vector<double> values(k);
  for (size_t first = 0; first < k; first += kQ4Block) {
    const size_t end = std::min(first + kQ4Block, k);
    float most = 0;
    for (size_t i = first; i < end; ++i) {
      most = std::max(most, std::fabs(row[i]));
    }
    for (size_t i = first; i < end; ++i) {
      const double step = double{most} / 127;
      values[i] = most > 0 ? std::nearbyint(row[i] * (127 / most)) * step : 0;
      EXPECT_NEAR(values[i], row[i], 0.5001 * step);
    }
  }
  return values;
}

void Check(const GemmUkernel& kernel, const Case& c) {
  SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(c.m) + "x" +
               std::to_string(c.n) + "x" + std::to_string(c.k));
  std::vector<float> x = RandomFloats(c.m * c.k);
  if (c.k > 40) std::fill_n(x.begin(), kQ4Block, 0.f);  // a block of zeros
  const Weights w(c);
  const auto panel = w.Panel(kernel.nr);
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

TEST(GemmQ4, EverySize) {
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmQ4) || !RunsHere(kernel)) continue;
    const auto mr = static_cast<size_t>(kernel.mr);
    const auto nr = static_cast<size_t>(kernel.nr);
    for (size_t m = 1; m <= mr; ++m) {
      for (size_t n = 1; n <= nr; ++n) Check(kernel, {m, n, 64});
    }
    for (size_t k = 1; k <= 100; ++k) Check(kernel, {mr, nr, k, false, true});
    Check(kernel, {3 * mr + 1, nr, 200, true, true});
  }
}

}  // namespace
}  // namespace mace::cpu
