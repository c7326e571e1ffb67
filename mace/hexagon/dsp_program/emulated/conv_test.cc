// Convolutions on the DSP give the bits of TFLite's arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/random.h"
#include "mace/hexagon/testing/reference.h"

namespace mace::hexagon::testing {
namespace {

struct ConvCase {
  const char* name;
  int32_t batch = 1, in_h, in_w, in, out;
  int32_t kernel_h = 1, kernel_w = 1, stride = 1, dilation = 1, pad = 0;
  int32_t groups = 1;
  double factor = 0.002;
};

int32_t Outputs(int32_t in, int32_t kernel, const ConvCase& c) {
  return (in + 2 * c.pad - (kernel - 1) * c.dilation - 1) / c.stride + 1;
}

ConvParams ParamsOf(const ConvCase& c, bool is_signed, Random* random) {
  ConvParams p = {};
  p.batch = c.batch;
  p.h = {c.in_h,     Outputs(c.in_h, c.kernel_h, c),
         c.kernel_h, c.stride,
         c.dilation, c.pad};
  p.w = {c.in_w,     Outputs(c.in_w, c.kernel_w, c),
         c.kernel_w, c.stride,
         c.dilation, c.pad};
  p.groups = c.groups;
  p.in_per_group = c.in / c.groups;
  p.out_per_group = c.out / c.groups;
  p.is_signed = is_signed ? 1 : 0;
  const int32_t least = is_signed ? -128 : 0;
  // Zero points at the ends, too.
  const int32_t ends[] = {least, least + 255, least + random->Between(0, 255)};
  p.x_zero_point = ends[random->Between(0, 2)];
  p.y = {ends[random->Between(0, 2)], least, least + 255};
  if (random->Between(0, 1) == 1) p.y.least = p.y.zero_point;
  return p;
}

class ConvTest : public ::testing::TestWithParam<ConvCase> {
 protected:
  void Check(bool is_signed, uint32_t seed, bool rounds_once = false) {
    const ConvCase& c = GetParam();
    Random random(seed);
    ConvParams p = ParamsOf(c, is_signed, &random);
    p.rounds_once = rounds_once ? 1 : 0;
    const int64_t taps = int64_t{c.kernel_h} * c.kernel_w;
    const Bytes x = random.Bytes(size_t{1} * c.batch * c.in_h * c.in_w * c.in);
    const Bytes values = random.Bytes(c.out * p.in_per_group * taps);
    QuantizedFilter w;
    w.data = values.data();
    w.is_signed = is_signed;
    w.zero_point = is_signed ? 0 : random.Between(0, 255);
    w.outputs = c.out;
    w.inputs = p.in_per_group;
    w.taps = taps;
    w.output_stride = p.in_per_group * taps;  // OIHW
    w.input_stride = taps;
    w.tap_stride = 1;
    const std::vector<int32_t> bias = random.Words(c.out, 20000);
    Scaling scaling;
    scaling.bias = bias.data();
    scaling.x_zero_point = p.x_zero_point;
    const int64_t factors = is_signed ? c.out : 1;
    for (int64_t i = 0; i < factors; ++i) {
      // Powers of two give ties, of which some are negative.
      scaling.factors.push_back(rounds_once && i % 2 == 0
                                    ? ToFixed(1. / 512)
                                    : random.Factor(c.factor));
    }
    GraphWriter writer;
    const Bytes expected = ReferenceConv(p, x, w, scaling);
    const int in = writer.AddInput(static_cast<int64_t>(x.size()));
    const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
    auto packed = PackFilter(w, c.groups, scaling);
    ASSERT_TRUE(packed.ok());
    AddConv(in, out, p, std::move(*packed), &writer);
    const auto run = RunOnce(&writer, {{in, x}}, out);
    ASSERT_TRUE(run.ok()) << run.status().information();
    ASSERT_EQ(run->output.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(int{run->output[i]}, int{expected[i]}) << "at " << i;
    }
  }
};

TEST_P(ConvTest, SignedHasTheBitsOfTheReference) {
  for (uint32_t seed = 1; seed <= 3; ++seed) Check(true, seed);
}

TEST_P(ConvTest, UnsignedHasTheBitsOfTheReference) {
  for (uint32_t seed = 4; seed <= 6; ++seed) Check(false, seed);
}

TEST_P(ConvTest, RoundsOnce) {
  Check(true, 7, true);
  Check(false, 8, true);
}

// name, batch, h, w, in, out, kernel, stride, dilation, pad, groups, factor
INSTANTIATE_TEST_SUITE_P(
    Shapes, ConvTest,
    ::testing::Values(
        ConvCase{"Plain", 1, 8, 8, 64, 128},
        ConvCase{"OneRowTooMany", 1, 11, 3, 32, 32},
        ConvCase{"OutputsOf31", 1, 5, 7, 16, 31},
        ConvCase{"OutputsOf33", 1, 5, 7, 8, 33},
        ConvCase{"OutputsOf127", 1, 5, 3, 24, 127},
        ConvCase{"OutputsOf129", 1, 5, 3, 40, 129},
        ConvCase{"OutputsOf224", 1, 4, 9, 40, 224},
        ConvCase{"DepthOf7", 1, 6, 6, 7, 40},
        ConvCase{"DepthOf129", 1, 3, 6, 129, 64},
        ConvCase{"OnePixel", 1, 1, 1, 260, 10},
        ConvCase{"OneChannel", 1, 9, 9, 1, 1, 3, 3, 1, 1, 1},
        ConvCase{"Batch", 3, 5, 5, 16, 24},
        ConvCase{"Window", 1, 9, 9, 32, 48, 3, 3, 1, 1, 1},
        ConvCase{"FirstLayer", 1, 17, 17, 3, 32, 3, 3, 2, 1, 1},
        ConvCase{"Strided", 2, 9, 7, 20, 40, 3, 3, 2, 1, 1},
        ConvCase{"StridedWithoutWindow", 1, 9, 7, 24, 32, 1, 1, 2, 1, 0},
        ConvCase{"Dilated", 1, 11, 12, 12, 36, 3, 3, 1, 2, 2},
        ConvCase{"Oblong", 1, 8, 13, 10, 20, 1, 7, 1, 1, 3},
        ConvCase{"Groups", 1, 7, 7, 32, 64, 3, 3, 1, 1, 1, 4},
        ConvCase{"GroupsOf3", 1, 6, 5, 15, 9, 3, 3, 1, 1, 1, 3},
        ConvCase{"GroupsWithoutWindow", 1, 6, 5, 64, 128, 1, 1, 1, 1, 0, 2},
        ConvCase{"TinyFactors", 1, 6, 5, 64, 32, 1, 1, 1, 1, 0, 1, 1e-8},
        ConvCase{"FactorsAboveOne", 1, 6, 5, 4, 32, 1, 1, 1, 1, 0, 1, 1.5},
        ConvCase{"FactorsAboutOneHalf", 1, 6, 5, 4, 32, 1, 1, 1, 1, 0, 1, 0.4}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace mace::hexagon::testing
