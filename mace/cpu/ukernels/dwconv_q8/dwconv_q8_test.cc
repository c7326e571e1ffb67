// Every depthwise micro-kernel of quantized values that this CPU can run, with
// exact results.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8_table.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t channels, width, height, kernel, stride, dilation, planes;
};

class Line {
 public:
  Line(const DwconvQ8& row, const Case& c, uint8_t flip)
      : row_(row), c_(c), flip_(flip) {
    columns_ = (c.width - 1) * c.stride + (c.kernel - 1) * c.dilation + 1;
    groups_ = (c.height + row.group - 1) / row.group;
    const size_t pixel = c.channels + kFirst;
    quantized_.resize(columns_ * c.height * pixel);
    for (uint8_t& value : quantized_) {
      value = static_cast<uint8_t>(Random(0, 255));
    }
    for (size_t i = 0; i < columns_ * c.height; ++i) {
      pixels_.push_back(&quantized_[i * pixel]);
    }
    const int most = row.w_bytes == 2 ? 255 : 127 * static_cast<int>(c.planes);
    w_.resize(c.kernel * c.height * c.channels);
    for (int& w : w_) w = Random(-most, most);
  }

  void Check() {
    Pack();
    const size_t lanes = row_.lanes;
    std::vector<int32_t> start(lanes);
    for (size_t i = 0; i < lanes; ++i) start[i] = static_cast<int32_t>(i) - 7;
    struct alignas(64) Line64 {
      int32_t x[16];
    };
    std::vector<Line64> sums(c_.width * lanes / 16 + 1);
    std::vector<Line64> scratch(
        columns_ * groups_ * lanes * row_.group * row_.x_bytes / 64 + 1);
    const size_t planes = row_.w_bytes == 1 ? c_.planes : 1;
    row_.fn({c_.channels, c_.width, c_.height, c_.kernel, planes, c_.stride,
             c_.dilation, pixels_.data(), columns_, kFirst, flip_,
             packed_.data(), start.data(), sums[0].x, scratch.data()});
    for (size_t i = 0; i < c_.width; ++i) {
      for (size_t c = 0; c < c_.channels; ++c) {
        ASSERT_EQ(sums[0].x[i * lanes + c], start[c] + Want(i, c))
            << "output " << i << " channel " << c;
      }
    }
  }

 private:
  static constexpr size_t kFirst = 3;

  int Random(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  int W(size_t j, size_t r, size_t c) const {
    return w_[(j * c_.height + r) * c_.channels + c];
  }
  int32_t Want(size_t i, size_t c) const {
    int32_t sum = 0;
    for (size_t j = 0; j < c_.kernel; ++j) {
      for (size_t r = 0; r < c_.height; ++r) {
        const size_t column = i * c_.stride + j * c_.dilation;
        const uint8_t value =
            pixels_[column * c_.height + r][kFirst + c] ^ flip_;
        sum += W(j, r, c) *
               (row_.reads_unsigned ? value : static_cast<int8_t>(value));
      }
    }
    return sum;
  }
  void Put(size_t at, int w) {
    if (row_.w_bytes == 1) {
      packed_[at] = static_cast<uint8_t>(w);
    } else {
      reinterpret_cast<int16_t*>(packed_.data())[at] = static_cast<int16_t>(w);
    }
  }
  void Pack() {
    const size_t lanes = row_.lanes, group = row_.group;
    const size_t plane = c_.kernel * groups_ * lanes * group;
    packed_.assign(c_.planes * plane * row_.w_bytes, 0);
    for (size_t j = 0; j < c_.kernel; ++j) {
      for (size_t r = 0; r < c_.height; ++r) {
        for (size_t c = 0; c < c_.channels; ++c) {
          const size_t at =
              ((j * groups_ + r / group) * lanes + c) * group + r % group;
          int rest = W(j, r, c);
          for (size_t p = 0; p < c_.planes && rest != 0; ++p) {
            const int here =
                row_.w_bytes == 1 ? std::clamp(rest, -128, 127) : rest;
            Put(p * plane + at, here);
            rest -= here;
          }
        }
      }
    }
  }

  const DwconvQ8& row_;
  const Case c_;
  const uint8_t flip_;
  size_t columns_ = 0, groups_ = 0;
  std::minstd_rand random_{11};
  std::vector<uint8_t> quantized_, packed_;
  std::vector<const uint8_t*> pixels_;
  std::vector<int> w_;
};

TEST(DwconvQ8, EverySize) {
  for (const DwconvQ8& row : kDwconvQ8) {
    if (!RunsHere(row)) continue;
    SCOPED_TRACE(row.name);
    const auto check = [&row](const Case& c) {
      if (row.kernel != 0 &&
          (c.kernel != static_cast<size_t>(row.kernel) || c.dilation != 1 ||
           c.stride != static_cast<size_t>(row.stride))) {
        return;
      }
      SCOPED_TRACE(std::to_string(c.channels) + " channels, " +
                   std::to_string(c.height) + "x" + std::to_string(c.kernel) +
                   " s" + std::to_string(c.stride));
      Line(row, c, 0x80).Check();
      Line(row, c, 0).Check();
    };
    for (size_t n = 1; n <= static_cast<size_t>(row.lanes); ++n) {
      check({n, 5, 3, 3, 1, 1, 1});
    }
    // Windows and numbers of channels that have paths of their own.
    const auto lanes = static_cast<size_t>(row.lanes);
    for (size_t width = 1; width <= 17; ++width) {
      for (const size_t n : {lanes, lanes / 2, lanes / 4, lanes / 2 - 3}) {
        for (size_t stride = 1; stride <= 3; ++stride) {
          check({n, width, 3, 3, stride, 1, 1});
          check({n, width, 5, 5, stride, 1, 1});
        }
        check({n, width, 3, 3, 1, 2, 1});
      }
    }
    for (size_t width = 1; width <= 17; ++width) {
      for (size_t kernel = 1; kernel <= 7; ++kernel) {
        for (size_t stride = 1; stride <= 3; ++stride) {
          check({8, width, kernel, kernel, stride, 1, 1 + width % 3});
          check({7, width, kernel + 1, kernel, stride, 2, 2});
        }
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
