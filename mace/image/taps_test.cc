// The weights of filters, worked out by hand.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/taps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace mace::image {
namespace {

using Filter = MaceImageFilter;

// Of an output: the first input, then the weights.
std::vector<double> TapsOf(Filter filter, int in, int out, int i) {
  const auto taps = MakeTaps(filter, in, out);
  EXPECT_TRUE(taps.ok());
  const auto at = static_cast<size_t>(i);
  std::vector<double> found = {static_cast<double>(taps->first[at])};
  for (int k = 0; k < taps->count[at]; ++k) {
    found.push_back(taps->weights_of(i)[k] / 4194304.0);
  }
  return found;
}

void Expect(const std::vector<double>& found,
            const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], wanted[i], 1e-6) << i;
  }
}

TEST(Taps, NearestTakesTheInputUnderTheCentre) {
  Expect(TapsOf(Filter::NEAREST, 4, 2, 0), {1, 1});
  Expect(TapsOf(Filter::NEAREST, 4, 2, 1), {3, 1});
  Expect(TapsOf(Filter::NEAREST, 2, 4, 1), {0, 1});
  Expect(TapsOf(Filter::NEAREST, 5, 2, 1), {3, 1});
}

TEST(Taps, BilinearIsATriangleAsWideAsTheStep) {
  // Centre 2 of inputs at 0.5, 1.5, ...: 1 - |distance| / 2.
  Expect(TapsOf(Filter::BILINEAR, 8, 4, 1), {1, .125, .375, .375, .125});
  // At the border what is left adds up to 1: 3, 3, 1 of 7.
  Expect(TapsOf(Filter::BILINEAR, 8, 4, 0), {0, 3. / 7, 3. / 7, 1. / 7});
  // Half-pixel centres: output 1 of 4 lies a quarter beyond input 0's centre.
  Expect(TapsOf(Filter::BILINEAR, 2, 4, 1), {0, .75, .25});
}

TEST(Taps, BicubicHasNegativeLobes) {
  // Keys' kernel with a = -0.5 at distances 1.25, 0.25, 0.75, 1.75.
  Expect(TapsOf(Filter::BICUBIC, 4, 8, 3),
         {0, -.0703125, .8671875, .2265625, -.0234375});
}

TEST(Taps, Bilinear2x2HasTwoNeighboursAtMost) {
  Expect(TapsOf(Filter::BILINEAR_2X2, 10, 2, 0), {2, 1});
  Expect(TapsOf(Filter::BILINEAR_2X2, 8, 2, 1), {5, .5, .5});
  Expect(TapsOf(Filter::BILINEAR_2X2, 2, 4, 0), {0, 1});
  Expect(TapsOf(Filter::BILINEAR_2X2, 2, 4, 1), {0, .75, .25});
  Expect(TapsOf(Filter::BILINEAR_2X2, 2, 4, 3), {1, 1});
}

TEST(Taps, AreaWeighsByWhatIsCovered) {
  Expect(TapsOf(Filter::AREA, 6, 3, 1), {2, .5, .5});
  Expect(TapsOf(Filter::AREA, 5, 2, 0), {0, .4, .4, .2});
  Expect(TapsOf(Filter::AREA, 5, 2, 1), {2, .2, .4, .4});
  Expect(TapsOf(Filter::AREA, 2, 3, 1), {0, .5, .5});
}

TEST(Taps, SameSizeCopies) {
  for (int filter = 0; filter < 5; ++filter) {
    const auto axis = MakeAxis(static_cast<Filter>(filter), 7, 7, 1);
    ASSERT_TRUE(axis.ok());
    EXPECT_TRUE(axis->copy && axis->dense) << filter;
    EXPECT_EQ(axis->used.size(), 7u);
  }
}

// What strips rely on, for every pair of small sizes.
TEST(Taps, NeitherEndEverGoesBack) {
  for (int filter = 0; filter < 5; ++filter) {
    for (int in = 1; in <= 40; ++in) {
      for (int out = 1; out <= 60; ++out) {
        const auto taps = MakeTaps(static_cast<Filter>(filter), in, out);
        ASSERT_TRUE(taps.ok());
        int first = 0, end = 1, sum_error = 0;
        for (size_t i = 0; i < taps->first.size(); ++i) {
          ASSERT_GE(taps->first[i], first);
          ASSERT_GE(taps->count[i], 1);
          ASSERT_LE(taps->count[i], taps->most);
          first = taps->first[i];
          ASSERT_GE(first + taps->count[i], end);
          end = first + taps->count[i];
          int sum = -(1 << kWeightBits);
          for (int k = 0; k < taps->count[i]; ++k) {
            sum += taps->weights_of(static_cast<int>(i))[k];
          }
          sum_error = std::max(sum_error, std::abs(sum));
        }
        ASSERT_LE(end, in);
        ASSERT_LE(sum_error, taps->most) << filter << " " << in << " " << out;
      }
    }
  }
}

TEST(Taps, UnusedInputsAreLeftOutWhereFewAreUsed) {
  const auto sparse = MakeAxis(Filter::BILINEAR_2X2, 100, 10, 3);
  ASSERT_TRUE(sparse.ok());
  EXPECT_EQ(sparse->used.size(), 20u);
  EXPECT_FALSE(sparse->dense);
  EXPECT_EQ(sparse->used[0], 4);
  EXPECT_EQ(sparse->used[3], 15);
  EXPECT_EQ(sparse->taps.first[1], 2);
  const auto dense = MakeAxis(Filter::BILINEAR_2X2, 100, 40, 3);
  ASSERT_TRUE(dense.ok());
  EXPECT_EQ(dense->used.size(), 100u);
  EXPECT_TRUE(dense->dense);
}

}  // namespace
}  // namespace mace::image
