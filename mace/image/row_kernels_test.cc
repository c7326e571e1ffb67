// The row kernels of every instruction set compute what the plain ones do.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/row_kernels.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "mace/image/row_cases.h"
#include "mace/image/testing/random_image.h"

namespace mace::image {
namespace {

const RowKernels& Plain() { return *kRowKernels[kNumRowKernels - 1]; }

// An allocation that ends with the last of its bytes.
template <typename T>
struct Array {
  std::unique_ptr<T[]> data;
  size_t size;
  explicit Array(size_t n) : data(new T[n]()), size(n) {}
  Array(size_t n, int64_t low, int64_t high, Random* random) : Array(n) {
    for (size_t i = 0; i < n; ++i) {
      data[i] = static_cast<T>((*random)(low, high));
    }
  }
  T* get() const { return data.get(); }
  std::vector<T> values() const { return {get(), get() + size}; }
};

class RowKernelsTest : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (!fast().runs_here()) {
      GTEST_SKIP() << "this CPU: has no " << fast().name;
    }
  }
  const RowKernels& fast() const { return *kRowKernels[GetParam()]; }
  Random random_{11};
};

std::string NameOf(const testing::TestParamInfo<size_t>& info) {
  return kRowKernels[info.param]->name;
}

INSTANTIATE_TEST_SUITE_P(Isa, RowKernelsTest,
                         testing::Range(size_t{0}, kNumRowKernels), NameOf);

constexpr YuvWeights kYuv = {16, 9539, 14686, -1747, -4366, 17305};

TEST_P(RowKernelsTest, YuvToRgbx) {
  for (size_t n = 1; n < 70; ++n) {
    for (const Chroma chroma : {Chroma::kEach, Chroma::kHalf, Chroma::kPairs}) {
      for (const bool v_first : {false, true}) {
        const size_t half = (n + 1) / 2;
        const Array<uint8_t> y(n, 0, 255, &random_);
        const Array<uint8_t> u(chroma == Chroma::kEach   ? n
                               : chroma == Chroma::kHalf ? half
                                                         : 2 * half,
                               0, 255, &random_);
        const Array<uint8_t> v(u.size, 0, 255, &random_);
        YuvRow row = {y.get(), u.get(), v.get(), chroma};
        if (chroma == Chroma::kPairs) {
          row.u = u.get() + (v_first ? 1 : 0);
          row.v = u.get() + (v_first ? 0 : 1);
        }
        const Array<uint8_t> wanted(4 * n), found(4 * n);
        Plain().yuv_to_rgbx(row, kYuv, n, wanted.get());
        fast().yuv_to_rgbx(row, kYuv, n, found.get());
        ASSERT_EQ(found.values(), wanted.values()) << n;
      }
    }
  }
}

// Every Y, U and V, within half a step and a little of the exact colour.
TEST_P(RowKernelsTest, YuvIsAsExactAsBytesAre) {
  std::vector<uint8_t> y(256), u(256), v(256), out(1024);
  for (size_t i = 0; i < 256; ++i) y[i] = static_cast<uint8_t>(i);
  for (int cu = 0; cu < 256; cu += 3) {
    for (int cv = 0; cv < 256; cv += 5) {
      u.assign(256, static_cast<uint8_t>(cu));
      v.assign(256, static_cast<uint8_t>(cv));
      fast().yuv_to_rgbx({y.data(), u.data(), v.data(), Chroma::kEach}, kYuv,
                         256, out.data());
      for (int i = 0; i < 256; ++i) {  // BT.709, limited range
        const double luma = (i - 16) * 255.0 / 219;
        const double pb = (cu - 128) * 255.0 / 224;
        const double pr = (cv - 128) * 255.0 / 224;
        const double rgb[] = {luma + 1.5748 * pr,
                              luma - 0.187324 * pb - 0.468124 * pr,
                              luma + 1.8556 * pb};
        for (int c = 0; c < 3; ++c) {
          const double exact = std::min(std::max(rgb[c], 0.0), 255.0);
          ASSERT_NEAR(out[static_cast<size_t>(4 * i + c)], exact, 0.53)
              << i << " " << cu << " " << cv << " " << c;
        }
      }
    }
  }
}

TEST_P(RowKernelsTest, RgbToRgbx) {
  for (size_t n = 1; n < 70; ++n) {
    const Array<uint8_t> in(3 * n, 0, 255, &random_);
    const Array<uint8_t> wanted(4 * n), found(4 * n);
    Plain().rgb_to_rgbx(in.get(), n, wanted.get());
    fast().rgb_to_rgbx(in.get(), n, found.get());
    ASSERT_EQ(found.values(), wanted.values()) << n;
  }
}

TEST_P(RowKernelsTest, RgbxToGray) {
  for (size_t n = 1; n < 70; ++n) {
    for (const size_t red : {0, 2}) {
      const Array<uint8_t> in(4 * n, n % 2 == 0 ? 0 : 250, 255, &random_);
      const Array<uint8_t> wanted(n), found(n);
      Plain().rgbx_to_gray(in.get(), n, red, wanted.get());
      fast().rgbx_to_gray(in.get(), n, red, found.get());
      ASSERT_EQ(found.values(), wanted.values()) << n;
    }
  }
}

// Weights of all sizes that packing makes, also such whose sums are clipped.
TEST_P(RowKernelsTest, Sums) {
  for (size_t groups = 1; groups < 9; ++groups) {
    for (size_t out = 1; out < 12; ++out) {
      for (const size_t channels : {4, 1}) {
        const size_t group = channels == 4 ? kGroupOf4 : kGroupOf1;
        const Array<uint8_t> row((groups * group + 5) * channels, 0, 255,
                                 &random_);
        const Array<int32_t> first(out, 0, 5, &random_);
        const Array<int16_t> weights(out * groups * 2 * group, 0, 2047,
                                     &random_);
        for (size_t i = 0; i < weights.size; ++i) {
          if (i / group % 2 == 0) {
            weights.data[i] = static_cast<int16_t>(random_(-300, 600));
          }
        }
        const PackedTaps taps = {first.get(), weights.get(), groups, out};
        const Array<uint8_t> wanted(out * channels), found(out * channels);
        const auto sum = [&](const RowKernels& k, uint8_t* to) {
          (channels == 4 ? k.sum_4_channels : k.sum_1_channel)(row.get(), taps,
                                                               to);
        };
        sum(Plain(), wanted.get());
        sum(fast(), found.get());
        ASSERT_EQ(found.values(), wanted.values()) << groups << " " << out;
      }
    }
  }
}

TEST_P(RowKernelsTest, SumsAcrossRows) {
  for (size_t n = 1; n < 100; ++n) {
    const Array<uint8_t> a(n, 0, 255, &random_), b(n, 0, 255, &random_);
    const Array<uint8_t> wanted(n), found(n);
    const auto wa = static_cast<int32_t>(random_(-1'000'000, 5'000'000));
    const auto wb = static_cast<int32_t>(random_(-1'000'000, 3'000'000));
    const auto sum = [&](const RowKernels& k, uint8_t* to) {
      const Array<int32_t> sums(n);
      k.begin_sum(a.get(), n, wa, sums.get());
      k.add_to_sum(b.get(), n, wb, sums.get());
      k.end_sum(sums.get(), n, to);
    };
    sum(Plain(), wanted.get());
    sum(fast(), found.get());
    ASSERT_EQ(found.values(), wanted.values()) << n;
  }
}

TEST_P(RowKernelsTest, Mixes) {
  for (size_t out = 1; out < 40; ++out) {
    const Array<uint8_t> row(4 * 12, 0, 255, &random_);
    const Array<int32_t> first(out, 0, 10, &random_);
    const Array<int16_t> weights(2 * out, 0, 2048, &random_);
    for (size_t i = 0; i < out; ++i) {
      weights.data[2 * i + 1] =
          static_cast<int16_t>(2048 - weights.data[2 * i]);
    }
    const PackedTaps taps = {first.get(), weights.get(), 1, out};
    const Array<uint8_t> wanted(4 * out), found(4 * out);
    Plain().mix_4_channels(row.get(), taps, wanted.get());
    fast().mix_4_channels(row.get(), taps, found.get());
    ASSERT_EQ(found.values(), wanted.values()) << out;
  }
}

TEST_P(RowKernelsTest, MixesOfRows) {
  for (size_t n = 1; n < 100; ++n) {
    const Array<uint8_t> a(n, 0, 255, &random_), b(n, 0, 255, &random_);
    const Array<uint8_t> wanted(n), found(n);
    const auto of_a = static_cast<int16_t>(random_(0, 2048));
    const auto of_b = static_cast<int16_t>(2048 - of_a);
    Plain().mix_rows(a.get(), b.get(), n, of_a, of_b, wanted.get());
    fast().mix_rows(a.get(), b.get(), n, of_a, of_b, found.get());
    ASSERT_EQ(found.values(), wanted.values()) << n;
  }
}

TEST(RowKernels, TheLastOneRunsEverywhere) {
  EXPECT_STREQ(Plain().name, "image_rows__scalar");
  EXPECT_TRUE(Plain().runs_here());
  EXPECT_TRUE((*BestRowKernels())->runs_here());
}

TEST_P(RowKernelsTest, PassTheirTest) {
  EXPECT_TRUE(ComputesRightly(fast()));
  EXPECT_TRUE((*BestRowKernels())->runs_here());
}

template <typename... A>
void DoNothing(A...) {}

// The function of a copy is replaced.
template <typename... A>
bool PassesWithout(const RowKernels& kernels,
                   void (*RowKernels::*function)(A...)) {
  RowKernels broken = kernels;
  broken.*function = DoNothing<A...>;
  return ComputesRightly(broken);
}

TEST_P(RowKernelsTest, NoneOfTheirFunctionsMayBeBroken) {
  const RowKernels& k = fast();
  EXPECT_FALSE(PassesWithout(k, &RowKernels::yuv_to_rgbx));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::rgb_to_rgbx));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::rgbx_to_gray));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::sum_4_channels));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::sum_1_channel));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::mix_4_channels));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::mix_rows));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::begin_sum));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::add_to_sum));
  EXPECT_FALSE(PassesWithout(k, &RowKernels::end_sum));
}

}  // namespace
}  // namespace mace::image
