// The tables of a benchmark fit, and their names are folded.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/statistics.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tools/cli/text_table.h"

namespace mace::tools {
namespace {

OperatorStats Op(const std::string& type, const std::string& name, int64_t at) {
  OperatorStats op;
  op.type = type;
  op.operator_name = name;
  op.device = "CPU";
  op.variant = "dwconv_f32_3s1__avx512 + gemm_f32_14x32__avx512 in place";
  op.macs = 1'000'000;
  op.output_shape = {{1, 112, 112, 32}};
  op.args.kernels = {32, 16, 3, 3};
  op.args.strides = {1, 1};
  op.stats = {at, at + 10};
  return op;
}

Benchmark Sample() {
  Benchmark benchmark;
  RunMetadata run;
  const std::string scope = "TheNetwork/TheNetwork/";
  run.op_stats = {
      Op("Conv2d", scope + "conv_0/Relu6", 100),
      Op("DepthwiseConv2d+Conv2d",
         scope + "conv_1/depthwise/Relu6 + " + scope +
             "conv_1/pointwise/Relu6 + " + scope + "conv_2/depthwise/Relu6",
         110),
      Op("Softmax", "Predictions + of what", 120)};
  benchmark.Add(run);
  benchmark.plain.Add(1);
  benchmark.measured.Add(1);
  return benchmark;
}

TEST(Statistics, TablesFit) {
  for (const int width : {80, 100, 120, 160, 240}) {
    std::istringstream lines(FormatTables(Sample(), width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(NumCharacters(line), static_cast<size_t>(width)) << line;
    }
  }
}

TEST(Statistics, AFusedStepIsOneRowWithItsLastNode) {
  const std::string text = FormatTables(Sample(), 240);
  EXPECT_NE(text.find(" [3] conv_2/depthwise/Relu6 |\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Names are those below 'TheNetwork/TheNetwork/'.\n"),
            std::string::npos);
  // A plus of a model's own is part of a name.
  EXPECT_NE(text.find(" Predictions + of what |\n"), std::string::npos);
  EXPECT_EQ(text.find("[2]"), std::string::npos);
}

TEST(Statistics, WideIsWhole) {
  const std::string text = FormatTables(Sample(), 0);
  EXPECT_NE(text.find("TheNetwork/TheNetwork/conv_1/depthwise/Relu6 + "
                      "TheNetwork/TheNetwork/conv_1/pointwise/Relu6 + "
                      "TheNetwork/TheNetwork/conv_2/depthwise/Relu6 |\n"),
            std::string::npos)
      << text;
  for (const char* column : {"Start", "Dilation", "Filter Shape", "cdf%"}) {
    EXPECT_NE(text.find(column), std::string::npos) << column;
  }
  EXPECT_EQ(text.find("--wide"), std::string::npos);
}

TEST(Statistics, EachOpHasItsDevice) {
  Benchmark benchmark = Sample();
  benchmark.ops[1].op.device = "GPU";
  for (const int width : {0, 240, 120}) {
    const std::string text = FormatTables(benchmark, width);
    EXPECT_NE(text.find(" Device |"), std::string::npos) << text;
    EXPECT_NE(text.find(" GPU |"), std::string::npos) << text;
    EXPECT_NE(text.find(" CPU |"), std::string::npos) << text;
  }
  EXPECT_NE(FormatTables(Sample(), 0).find(" CPU |"), std::string::npos);
  // It leaves its place to others where there is one device.
  EXPECT_EQ(FormatTables(Sample(), 120).find(" CPU |"), std::string::npos);
}

TEST(Statistics, OpsOfAnotherBranchAreLeftOut) {
  Benchmark benchmark = Sample();
  RunMetadata run;
  run.op_stats = {benchmark.ops[0].op, Op("Relu", "of the other branch", 110),
                  benchmark.ops[2].op};
  benchmark.Add(run);
  EXPECT_EQ(benchmark.ops[0].duration.count(), 2);
  EXPECT_EQ(benchmark.ops[1].duration.count(), 1);
  EXPECT_EQ(benchmark.ops[2].duration.count(), 1);
}

TEST(Statistics, SeriesHasItsSumAndDeviation) {
  Stat stat;
  EXPECT_EQ(stat.sum(), 0);
  EXPECT_EQ(stat.deviation(), 0);
  for (const double v : {1.0, 3.0, 5.0, 7.0}) stat.Add(v);
  EXPECT_EQ(stat.sum(), 16);
  EXPECT_EQ(stat.average(), 4);
  EXPECT_NEAR(stat.deviation(), 2.2360680, 1e-6);
}

TEST(Statistics, WhatDidNotRunHasNoTimes) {
  EXPECT_NE(FormatTables(Sample(), 0).find("|     0 |         - |"),
            std::string::npos);
}

}  // namespace
}  // namespace mace::tools
