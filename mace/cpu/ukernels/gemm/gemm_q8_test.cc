// Every GEMM micro-kernel of quantized values that this CPU can run, with exact
// results.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/gemm/gemm_q8_pack.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/cpu/ukernels/testing/amx_model.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t m, n, k, segments;
  bool extreme =
      false;  // all values and weights are at the ends of their range
};

std::vector<uint8_t> Quantized(size_t n, bool extreme) {
  std::minstd_rand random(static_cast<uint32_t>(n + 1));
  std::vector<uint8_t> quantized(n);
  for (uint8_t& value : quantized) {
    const auto bits = static_cast<uint32_t>(random() >> 8);
    value =
        static_cast<uint8_t>(extreme ? (bits % 4 == 0 ? 0x7f : 0x80) : bits);
  }
  return quantized;
}

size_t RoundUp(size_t x, int to) { return (x + to - 1) / to * to; }

class Product {
 public:
  Product(const GemmUkernel& row, const Case& c, uint8_t flip)
      : row_(row), c_(c), flip_(flip), depth_(c.k * c.segments) {
    quantized_ = Quantized(c.m * c.segments * (c.k + 3), c.extreme);
    for (size_t s = 0; s < c.segments; ++s) {
      for (size_t i = 0; i < c.m; ++i) {
        runs_.push_back(&quantized_[(s * c.m + i) * (c.k + 3)]);
      }
    }
    b_ = Quantized(depth_ * c.n, c.extreme);
  }

  void Check() {
    Pack();
    const size_t nr = row_.nr;
    for (size_t j = 0; j < nr; ++j) {
      start_.push_back(static_cast<int32_t>(j) * 1000 - 5);
    }
    alignas(64) static int32_t sums[kGemmQ8MaxSums];
    GemmTile tile = {};
    tile.m = c_.m;
    tile.n = c_.n;
    tile.k = RoundUp(depth_, row_.packing.k_pad);
    tile.a = packed_.data();
    tile.b = panel_.data();
    tile.c = sums;
    tile.bias = start_.data();
    row_.fn(tile);
    for (size_t i = 0; i < c_.m; ++i) {
      ASSERT_EQ(row_sums_[i], RowSum(i));
      for (size_t j = 0; j < c_.n; ++j) {
        ASSERT_EQ(sums[i * nr + j], Want(i, j))
            << "row " << i << " column " << j;
      }
    }
  }

 private:
  int32_t A(size_t i, size_t k) const {
    const uint8_t value = runs_[k / c_.k * c_.m + i][k % c_.k] ^ flip_;
    return row_.reads_unsigned() ? value : static_cast<int8_t>(value);
  }
  int32_t B(size_t k, size_t j) const {
    return std::max<int32_t>(row_.packing.b_min,
                             static_cast<int8_t>(b_[k * c_.n + j]));
  }
  int32_t RowSum(size_t i) const {
    int32_t sum = 0;
    for (size_t k = 0; k < depth_; ++k) sum += A(i, k);
    return sum;
  }
  int32_t Want(size_t i, size_t j) const {
    int32_t sum = start_[j];
    for (size_t k = 0; k < depth_; ++k) sum += A(i, k) * B(k, j);
    return sum;
  }

  void Pack() {
    const size_t nr = row_.nr, group = row_.packing.group;
    panel_.assign(RoundUp(depth_, row_.packing.k_pad) * nr, 0);
    for (size_t k = 0; k < depth_; ++k) {
      for (size_t j = 0; j < c_.n; ++j) {
        panel_[(k / group * nr + j) * group + k % group] =
            static_cast<int8_t>(B(k, j));
      }
    }
    // What is not packed must not matter.
    const size_t lines =
        RoundUp(depth_, std::max(row_.packing.k_tile, row_.packing.k_pad));
    const std::vector<uint64_t> untouched(
        lines * row_.mr * row_.a_bytes() / 8 + 8, 0x5a5a5a5a5a5a5a5a);
    packed_ = untouched;
    row_sums_.assign(c_.m, -1);
    row_.pack_runs(
        {c_.m, c_.k, c_.segments, runs_.data(), flip_, row_sums_.data()},
        packed_.data());
    const auto with_sums = PackedValues();
    packed_ = untouched;
    row_.pack_runs({c_.m, c_.k, c_.segments, runs_.data(), flip_, nullptr},
                   packed_.data());
    ASSERT_EQ(PackedValues(), with_sums);
    if (row_.packing.takes_steps) {
      const auto step = static_cast<ptrdiff_t>(c_.k + 3);
      for (int32_t* sums : {row_sums_.data(), static_cast<int32_t*>(nullptr)}) {
        packed_ = untouched;
        row_.pack_runs({c_.m, c_.k, c_.segments, nullptr, flip_, sums, runs_[0],
                        step, step * static_cast<ptrdiff_t>(c_.m)},
                       packed_.data());
        ASSERT_EQ(PackedValues(), with_sums);
      }
    }
    packed_ = untouched;
    PackRowByRow();
    ASSERT_EQ(PackedValues(), with_sums);
  }

  // The elements of all values, row by row, without what fills their lines up.
  std::vector<uint8_t> PackedValues() const {
    const size_t line = row_.packing.k_tile, bytes = row_.a_bytes();
    const auto* packed = reinterpret_cast<const uint8_t*>(packed_.data());
    std::vector<uint8_t> quantized;
    for (size_t i = 0; i < c_.m; ++i) {
      for (size_t k = 0; k < depth_; ++k) {
        const size_t at = (k / line * row_.mr + i) * line + k % line;
        quantized.insert(quantized.end(), packed + at * bytes,
                         packed + (at + 1) * bytes);
      }
    }
    return quantized;
  }

  // Again, each row in a call of its own, which leaves the others alone.
  void PackRowByRow() {
    std::vector<const uint8_t*> runs(c_.segments);
    for (size_t i = 0; i < c_.m; ++i) {
      for (size_t s = 0; s < c_.segments; ++s) runs[s] = runs_[s * c_.m + i];
      row_.pack_runs({1, c_.k, c_.segments, runs.data(), flip_, nullptr},
                     reinterpret_cast<uint8_t*>(packed_.data()) +
                         i * row_.packing.k_tile * row_.a_bytes());
    }
  }

  const GemmUkernel& row_;
  const Case c_;
  const uint8_t flip_;
  const size_t depth_;
  std::vector<uint8_t> quantized_, b_;
  std::vector<const uint8_t*> runs_;
  std::vector<int8_t> panel_;
  std::vector<uint64_t> packed_;
  std::vector<int32_t> row_sums_, start_;
};

void Check(const GemmUkernel& row, const Case& c) {
  SCOPED_TRACE(std::to_string(c.m) + "x" + std::to_string(c.n) + "x" +
               std::to_string(c.segments * c.k));
  Product(row, c, 0x80).Check();
  Product(row, c, 0).Check();
}

void CheckEverySize(const GemmUkernel& row) {
  SCOPED_TRACE(row.name);
  const auto mr = static_cast<size_t>(row.mr);
  const auto nr = static_cast<size_t>(row.nr);
  for (size_t m = 1; m <= mr; ++m) {
    for (size_t n = 1; n <= nr; ++n) Check(row, {m, n, 7, 2});
  }
  for (size_t k = 1; k <= 140; ++k) {
    Check(row, {mr, nr, k, 1});
    Check(row, {mr, nr, k, 3, true});
    Check(row, {mr, nr, 3, k});  // pixels of three channels
  }
  for (size_t m = 1; m <= mr; ++m) {
    Check(row, {m, nr, 9, 3});    // a first layer
    Check(row, {m, nr, 21, 7});   // another one
    Check(row, {m, nr, 171, 3});  // long rows that are not whole lines
  }
}

TEST(GemmQ8, EverySize) {
  for (const GemmUkernel& row : kGemm) {
    if (row.is_quantized() && RunsHere(row)) CheckEverySize(row);
  }
}

void MultiplyByModel(GemmU8Tile tile) {
  ModelTiles tiles;
  Multiply(tiles, tile);
}

void PackForModel(const GemmRuns& rows, void* to) {
  PackValues<kAmxRows, kAmxLine, uint8_t, uint8_t>(rows,
                                                   static_cast<uint8_t*>(to));
}

TEST(GemmQ8, EverySizeByTheModelOfAmx) {
  CheckEverySize(GemmQ8<MultiplyByModel>(
      "gemm_q8_16x32__model", 0, kAmxRows, kAmxColumns, PackForModel,
      {kAmxGroup, kAmxLine, kAmxGroup, kAmxGroup}));
}

TEST(GemmQ8, RowsSayHowTheyPack) {
  for (const GemmUkernel& row : kGemm) {
    if (!row.is_quantized()) continue;
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.packing.k_pad % row.packing.group, 0);
    EXPECT_EQ(row.packing.k_tile % row.packing.group, 0);
    EXPECT_LE(row.mr * row.nr, kGemmQ8MaxSums);
  }
}

}  // namespace
}  // namespace mace::cpu
