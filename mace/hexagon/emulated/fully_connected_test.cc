// Matrix products on the DSP give the bits of TFLite's arithmetic: one rounding
// of a product in double precision.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>

#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/random.h"
#include "mace/hexagon/testing/reference.h"

namespace mace::hexagon::testing {
namespace {

void Check(int32_t rows, int32_t depth, int32_t outputs, bool is_signed,
           const std::vector<double>& factors, uint32_t seed) {
  Random random(seed);
  const int32_t least = is_signed ? -128 : 0;
  FullyConnectedParams p = {};
  p.rows = rows;
  p.depth = depth;
  p.outputs = outputs;
  p.is_signed = is_signed ? 1 : 0;
  p.y = {least + random.Between(0, 255), least, least + 255};
  const Bytes x = random.Bytes(size_t{1} * rows * depth);
  const Bytes codes = random.Bytes(size_t{1} * outputs * depth);
  FilterCodes w;
  w.data = codes.data();
  w.is_signed = is_signed;
  w.zero_point = is_signed ? 0 : random.Between(0, 255);
  w.outputs = outputs;
  w.inputs = depth;
  w.output_stride = depth;
  w.input_stride = 1;
  const std::vector<int32_t> bias = random.Words(outputs, 3000);
  Scaling scaling;
  scaling.factors = {{0, 0}};
  scaling.bias = bias.data();
  scaling.x_zero_point = least + random.Between(0, 255);
  const Bytes expected = ReferenceFullyConnected(p, x, w, scaling, factors);
  GraphWriter writer;
  const int in = writer.AddInput(static_cast<int64_t>(x.size()));
  const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
  auto packed = PackFilter(w, 1, scaling);
  ASSERT_TRUE(packed.ok());
  auto scales = PackFactors(factors, outputs);
  ASSERT_TRUE(scales.ok());
  AddFullyConnected(in, out, p, std::move(*packed), std::move(*scales),
                    &writer);
  const auto run = RunOnce(&writer, {{in, x}}, out);
  ASSERT_TRUE(run.ok()) << run.status().information();
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(int{run->output[i]}, int{expected[i]}) << "at " << i;
  }
}

TEST(FullyConnectedTest, HasTheBitsOfTheReference) {
  Check(1, 256, 10, true, {0.0021}, 1);
  Check(1, 1001, 33, true, {0.00037}, 2);
  Check(5, 33, 129, false, {0.004}, 3);
  Check(33, 40, 64, false, {0.01}, 4);
}

TEST(FullyConnectedTest, HasAFactorForEachOutput) {
  Random random(5);
  std::vector<double> factors;
  for (int i = 0; i < 70; ++i) {
    factors.push_back(std::ldexp(1 + random.Between(0, 999) / 1000.0,
                                 random.Between(-14, -4)));
  }
  Check(3, 64, 70, true, factors, 6);
}

TEST(FullyConnectedTest, RoundsTiesAwayFromZero) {
  // Sums are whole numbers: half of them are ties, of both signs.
  Check(8, 3, 128, true, {0.5}, 7);
  Check(8, 3, 128, true, {0.0078125}, 8);
}

TEST(FullyConnectedTest, TakesExtremeFactors) {
  Check(2, 16, 32, true, {1e-30}, 9);
  Check(2, 16, 32, true, {3e20}, 10);
  Check(2, 16, 32, true, {1.0}, 11);
}

}  // namespace
}  // namespace mace::hexagon::testing
