// Depthwise convolutions on the DSP give the bits of TFLite's arithmetic.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/random.h"
#include "mace/hexagon/testing/reference.h"

namespace mace::hexagon::testing {
namespace {

struct DepthwiseCase {
  const char* name;
  int32_t batch, in_h, in_w, channels;
  int32_t kernel = 3, stride = 1, dilation = 1, pad = 1;
  double factor = 0.02;
};

WindowParams Window(int32_t in, const DepthwiseCase& c) {
  const int32_t out =
      (in + 2 * c.pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
  return {in, out, c.kernel, c.stride, c.dilation, c.pad};
}

class DepthwiseTest : public ::testing::TestWithParam<DepthwiseCase> {
 protected:
  void Check(bool is_signed, uint32_t seed) {
    const DepthwiseCase& c = GetParam();
    Random random(seed);
    const int32_t least = is_signed ? -128 : 0;
    const int32_t ends[] = {least, least + 255, least + random.Between(0, 255)};
    DepthwiseParams p = {};
    p.batch = c.batch;
    p.h = Window(c.in_h, c);
    p.w = Window(c.in_w, c);
    p.channels = c.channels;
    p.is_signed = is_signed ? 1 : 0;
    p.x_zero_point = ends[random.Between(0, 2)];
    p.y = {ends[random.Between(0, 2)], least, least + 255};
    const Bytes x =
        random.Bytes(size_t{1} * c.batch * c.in_h * c.in_w * c.channels);
    const int64_t taps = int64_t{c.kernel} * c.kernel;
    const Bytes values = random.Bytes(c.channels * taps);
    QuantizedFilter w;
    w.data = values.data();
    w.is_signed = is_signed;
    // Seeds that are multiples of 4 have a zero point that needs one pass.
    w.zero_point = is_signed ? 0 : seed % 4 == 0 ? 128 : random.Between(0, 255);
    w.outputs = c.channels;
    w.inputs = 1;
    w.taps = taps;
    w.output_stride = taps;
    w.tap_stride = 1;
    const std::vector<int32_t> bias = random.Words(c.channels, 2000);
    Scaling scaling;
    scaling.bias = bias.data();
    scaling.x_zero_point = p.x_zero_point;
    const int64_t factors = is_signed ? c.channels : 1;
    for (int64_t i = 0; i < factors; ++i) {
      scaling.factors.push_back(random.Factor(c.factor));
    }
    Compare(p, x, w, scaling);
  }

  static void Compare(const DepthwiseParams& p, const Bytes& x,
                      const QuantizedFilter& w, const Scaling& scaling) {
    const Bytes expected = ReferenceDepthwise(p, x, w, scaling);
    GraphWriter writer;
    const int in = writer.AddInput(static_cast<int64_t>(x.size()));
    const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
    auto packed = PackDepthwise(w, p.h.kernel, p.w.kernel, scaling);
    ASSERT_TRUE(packed.ok());
    AddDepthwise(in, out, p, std::move(*packed), &writer);
    const auto run = RunOnce(&writer, {{in, x}}, out);
    ASSERT_TRUE(run.ok()) << run.status().information();
    ASSERT_EQ(run->output.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(int{run->output[i]}, int{expected[i]}) << "at " << i;
    }
  }
};

TEST_P(DepthwiseTest, SignedHasTheBitsOfTheReference) {
  for (uint32_t seed = 1; seed <= 3; ++seed) Check(true, seed);
}

TEST_P(DepthwiseTest, UnsignedHasTheBitsOfTheReference) {
  for (uint32_t seed = 4; seed <= 6; ++seed) Check(false, seed);
}

// name, batch, h, w, channels, kernel, stride, dilation, pad, factor
INSTANTIATE_TEST_SUITE_P(
    Shapes, DepthwiseTest,
    ::testing::Values(
        DepthwiseCase{"Plain", 1, 6, 6, 128},
        DepthwiseCase{"Channels32", 1, 9, 9, 32},
        DepthwiseCase{"Channels64", 1, 9, 40, 64},
        DepthwiseCase{"Channels127", 1, 5, 4, 127},
        DepthwiseCase{"Channels129", 1, 5, 4, 129},
        DepthwiseCase{"Channels1", 1, 5, 4, 1},
        DepthwiseCase{"Channels256", 1, 7, 7, 256},
        DepthwiseCase{"Batch", 2, 5, 6, 40},
        DepthwiseCase{"Strided", 1, 10, 11, 128, 3, 2},
        DepthwiseCase{"StridedWithoutPad", 2, 9, 9, 64, 3, 2, 1, 0},
        DepthwiseCase{"Stride3", 1, 10, 11, 96, 3, 3},
        DepthwiseCase{"Wide", 1, 4, 75, 128},
        DepthwiseCase{"Kernel5", 1, 9, 8, 130, 5, 1, 1, 2},
        DepthwiseCase{"Kernel5Strided", 1, 9, 8, 64, 5, 2, 1, 2},
        DepthwiseCase{"Kernel1", 1, 4, 4, 100, 1, 1, 1, 0},
        DepthwiseCase{"Kernel2", 1, 6, 5, 32, 2, 1, 1, 0},
        DepthwiseCase{"Dilated", 1, 9, 9, 64, 3, 1, 2, 2},
        DepthwiseCase{"PadLargerThanImage", 1, 2, 2, 32, 3, 1, 3, 4},
        DepthwiseCase{"FactorsAboveOne", 1, 5, 5, 64, 3, 1, 1, 1, 1.2}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace mace::hexagon::testing
