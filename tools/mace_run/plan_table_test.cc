// What a plan's table says of its steps.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/plan_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tools/cli/text_table.h"

namespace mace::tools {
namespace {

TEST(PlanTable, RooflineIsTheHigherOfBoth) {
  const cpu::MachineLimits limits = {100, 0, 10, 0, 50'000};  // GFLOP/s, GB/s
  OperatorStats op;
  op.macs = 1'000'000;
  op.bytes = 100'000;
  EXPECT_DOUBLE_EQ(RooflineOf(op, limits).compute_us, 20);
  EXPECT_DOUBLE_EQ(RooflineOf(op, limits).memory_us, 10);
  EXPECT_TRUE(RooflineOf(op, limits).is_compute());
  op.bytes = 1'000'000;
  EXPECT_DOUBLE_EQ(RooflineOf(op, limits).us(), 100);
  EXPECT_FALSE(RooflineOf(op, limits).is_compute());
}

// Tensors that a cache may hold are read faster than memory allows.
TEST(PlanTable, NoShareOfWhatFitsACache) {
  OperatorStats op;
  op.type = "Eltwise";
  op.operator_name = "add";
  op.bytes = 100'000;
  op.stats = {0, 4};
  RunMetadata run;
  run.op_stats.push_back(op);
  Benchmark benchmark;
  benchmark.Add(run);
  const auto table = [&](int64_t cache_bytes) {
    std::string text =
        FormatPlanTable(benchmark, {100, 0, 10, 0, cache_bytes}, 0);
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  };
  const std::string cached = "|Eltwise|10.0|4.0|0.0|cache|-|";
  EXPECT_NE(table(100'000).find(cached), std::string::npos) << table(100'000);
  EXPECT_NE(table(0).find(cached), std::string::npos) << "not known";
  const std::string streamed = "|Eltwise|10.0|4.0|10.0|memory|250%|";
  EXPECT_NE(table(99'999).find(streamed), std::string::npos) << table(99'999);
  EXPECT_EQ(PlanJson(benchmark, {100, 0, 10, 0, 100'000})["steps"][0]["bound"],
            "cache");
}

TEST(PlanTable, PredictedBesideMeasured) {
  OperatorStats op;
  op.operator_name = "conv";
  op.type = "Conv2d";
  op.variant = "winograd 4";
  op.macs = 4'000'000;
  op.cost_macs = 1'000'000;
  op.bytes = 1000;
  op.stats = {100, 140};
  op.chosen_by = "kept";
  op.tuned_micros = 38;
  op.model_micros = 50;
  RunMetadata run;
  run.op_stats.push_back(op);
  Benchmark benchmark;
  benchmark.Add(run);
  const std::string table = FormatPlanTable(benchmark, {100, 0, 10}, 0);
  EXPECT_NE(table.find("|    0 | Conv2d |      20.0 |     40.0 |     80.0 | "
                       "compute |  200% | winograd 4 (kept: 38.0 us, the "
                       "model's 50.0) | conv |\n"),
            std::string::npos)
      << table;
  for (const int width : {80, 100, 120}) {
    std::istringstream lines(FormatPlanTable(benchmark, {100, 0, 10}, width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(NumCharacters(line), static_cast<size_t>(width)) << line;
    }
  }
  const nlohmann::json json = PlanJson(benchmark, {100, 0, 10});
  ASSERT_EQ(json["steps"].size(), 1u);
  EXPECT_EQ(json["steps"][0]["chosen_by"], "kept");
  EXPECT_EQ(json["steps"][0]["measured_us"], 40);
  EXPECT_EQ(json["steps"][0]["bound"], "compute");
}

}  // namespace
}  // namespace mace::tools
