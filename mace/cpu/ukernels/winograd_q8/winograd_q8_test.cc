// Every Winograd micro-kernel of quantized values that this CPU can run: its
// three steps together give the sums of a direct convolution, exactly.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/ukernels/testing/rows.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8_table.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t tiles, channels;
  bool extreme =
      false;  // all values and weights are at the ends of their range
};

constexpr size_t kArea = kWinogradQ8Area;

size_t RoundUp(size_t x, int to) {
  return (x + static_cast<size_t>(to) - 1) / static_cast<size_t>(to) *
         static_cast<size_t>(to);
}

// The factors of Lavin and Gray's G for points 0, 1, -1, 2, -2 and infinity,
// with their fractions cleared.
constexpr int32_t kFilterRows[6][3] = {{1, 0, 0}, {1, 1, 1},  {1, -1, 1},
                                       {1, 2, 4}, {1, -2, 4}, {0, 0, 1}};

// A tile row of mr tiles, of which each has its own pixels.
class TileRow {
 public:
  TileRow(const WinogradQ8& row, const Case& c)
      : row_(row),
        c_(c),
        mr_(static_cast<size_t>(row.mr)),
        nr_(static_cast<size_t>(row.nr)),
        lanes_(static_cast<size_t>(row.lanes)),
        depth_(RoundUp(c.channels, row.step)),
        group_(RoundUp(c.channels, row.lanes) * mr_) {
    for (uint8_t& value : Resized(quantized_, c.tiles * kArea * c.channels)) {
      value = static_cast<uint8_t>(Random(0, 255, 0x00, 0xff));
    }
    for (int32_t& w : Resized(filter_, nr_ * c.channels * 9)) {
      w = Random(-255, 255, -255, 255);
    }
  }

  void Check() {
    std::vector<int16_t> v(kArea * group_, 0x5a5a);
    for (size_t t = 0; t < c_.tiles; ++t) TransformInput(t, v.data());
    auto m = AlignedBuffer::Create(kArea * mr_ * nr_ * sizeof(int32_t));
    auto sums = AlignedBuffer::Create(16 * c_.tiles * nr_ * sizeof(int32_t));
    ASSERT_TRUE(m.ok() && sums.ok());
    auto* products = static_cast<int32_t*>(m->data());
    const std::vector<int16_t> panel = Panel();
    for (size_t i = 0; i < kArea; ++i) {
      row_.set->product({c_.tiles, depth_, v.data() + i * group_,
                         panel.data() + i * depth_ * nr_,
                         products + i * mr_ * nr_});
    }
    std::vector<int32_t> start;
    for (size_t j = 0; j < nr_; ++j) {
      start.push_back(static_cast<int32_t>(j) * 1000 - 5);
    }
    auto* found = static_cast<int32_t*>(sums->data());
    row_.set->output({c_.tiles, products, mr_ * nr_, start.data(), found});
    for (size_t i = 0; i < 16 * c_.tiles * nr_; ++i) {
      const size_t column = i / nr_ % (4 * c_.tiles), j = i % nr_;
      ASSERT_EQ(found[i], start[j] + Want(column / 4, i / nr_ / (4 * c_.tiles),
                                          column % 4, j))
          << "element " << i;
    }
  }

 private:
  template <typename T>
  static std::vector<T>& Resized(std::vector<T>& values, size_t n) {
    values.resize(n);
    return values;
  }
  int32_t Random(int32_t least, int32_t most, int32_t end, int32_t other_end) {
    if (c_.extreme) return random_() / 256 % 8 == 0 ? other_end : end;
    return std::uniform_int_distribution<int32_t>(least, most)(random_);
  }

  const uint8_t* Pixel(size_t tile, size_t i) const {
    return &quantized_[(tile * kArea + i) * c_.channels];
  }
  int32_t Element(size_t j, size_t c, size_t tap) const {
    return filter_[(j * c_.channels + c) * 9 + tap];
  }

  void TransformInput(size_t tile, int16_t* v) const {
    const uint8_t* pixels[kArea];
    for (size_t i = 0; i < kArea; ++i) pixels[i] = Pixel(tile, i);
    row_.set->input(
        {c_.channels, pixels, kFlip, v + tile * lanes_, group_, mr_ * lanes_});
  }

  // u = G g G' of each column, as products read it.
  std::vector<int16_t> Panel() const {
    std::vector<int16_t> panel(kArea * depth_ * nr_);
    const auto group = static_cast<size_t>(row_.group);
    for (size_t i = 0; i < kArea * nr_ * c_.channels; ++i) {
      const size_t element = i / nr_ / c_.channels;
      const size_t j = i / c_.channels % nr_, c = i % c_.channels;
      int32_t u = 0;
      for (size_t tap = 0; tap < 9; ++tap) {
        u += kFilterRows[element / 6][tap / 3] *
             kFilterRows[element % 6][tap % 3] * Element(j, c, tap);
      }
      panel[element * depth_ * nr_ + (c / group * nr_ + j) * group +
            c % group] = static_cast<int16_t>(u);
    }
    return panel;
  }

  int32_t Want(size_t tile, size_t p, size_t q, size_t j) const {
    int32_t sum = 0;
    for (size_t tap = 0; tap < 9; ++tap) {
      const uint8_t* x = Pixel(tile, (p + tap / 3) * 6 + q + tap % 3);
      for (size_t c = 0; c < c_.channels; ++c) {
        sum += static_cast<int8_t>(x[c] ^ kFlip) * Element(j, c, tap);
      }
    }
    return sum;
  }

  static constexpr uint8_t kFlip = 0x80;
  const WinogradQ8& row_;
  const Case c_;
  const size_t mr_, nr_, lanes_, depth_, group_;
  std::minstd_rand random_{7};
  std::vector<uint8_t> quantized_;
  std::vector<int32_t> filter_;
};

TEST(WinogradQ8, TilesAreDirectConvolutions) {
  for (const WinogradQ8& row : kWinogradQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (size_t tiles = 1; tiles <= static_cast<size_t>(row.mr); ++tiles) {
      for (const size_t channels : {1, 3, 8, 31, 32, 33, 64, 70}) {
        SCOPED_TRACE(std::to_string(tiles) + " tiles of " +
                     std::to_string(channels));
        TileRow(row, {tiles, channels}).Check();
      }
    }
  }
}

// The largest magnitudes that kernels may meet: 2^25 less a little.
TEST(WinogradQ8, ExactAtTheEndsOfTheRange) {
  for (const WinogradQ8& row : kWinogradQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    for (const size_t channels : {16, 113}) {
      TileRow(row, {2, channels, true}).Check();
    }
  }
}

}  // namespace
}  // namespace mace::cpu
