// The dumps of a plan have every number in its place.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/dump/dump.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mace/plan/testing/fake_device.h"
#include "nlohmann/json.hpp"

namespace mace {
namespace {

using nlohmann::json;
using testing::FakeDevice;
using testing::KernelProperties;
using testing::PlanMaker;

// An upload, a step of two nodes on the GPU, a download, one step on the CPU,
// and a view without a step.
struct Sample {
  Sample() {
    maker.device = &gpu;
    const int x = maker.Input({2, 3});
    maker.AddOne("Upload", {x}, {2, 3});
    KernelProperties conv;
    conv.macs = 100;
    conv.variant = "conv_image";
    maker.AddOne("Conv2D", {1}, {4}, conv);
    maker.AddOne("Conv2D+Add", {2}, {5}, conv);
    maker.AddOne("Download", {3}, {7});
    maker.device = &cpu;
    KernelProperties relu;
    relu.variant = "relu";
    relu.macs = 1;
    maker.AddOne("Relu", {4}, {7}, relu);
    maker.AddOne("Reshape", {5}, {7, 1});
    Plan& plan = maker.plan;
    plan.graph.nodes[1].node.name = "conv";
    plan.graph.nodes[2].node.name = "conv + add";
    plan.graph.nodes[4].node.name = "a \"quoted\" \\ \n name";
    plan.steps.pop_back();
    plan.steps.erase(plan.steps.begin() + 1);
    plan.steps[1].fused = {1};
    plan.placements = {
        {"Conv2D 'conv'", "GPU", ""},
        {"Relu 'a \"quoted\" \\ \\x0a name'", "CPU", "too \tsmall"},
        {"Reshape 'n5'", "GPU", "free"}};
    plan.images = {{{2, 3}, DataType::kF32}, {{4, 5}, DataType::kF16}};
    plan.image_bytes = 256;
    plan.arena_bytes = 640;
    AddMemory();
  }

  void AddMemory() {
    Plan& plan = maker.plan;
    std::vector<memory::Record>& records = plan.memory_problem.records;
    records.resize(3);
    for (int i = 0; i < 3; ++i) {
      records[i].name = "r" + std::to_string(i);
      records[i].size = 100 + i;
      records[i].first = i;
      records[i].last = i + 2;
      records[i].alignment = 64;
    }
    records[1].overlaps = {{0, 8}, {2, memory::Overlap::kAnyDistance}};
    plan.memory_plan.offsets = {0, 128, 256};
    plan.memory_plan.certificate = {358,    300, memory::Certificate::kFeasible,
                                    "AUTO", 12,  34};
    plan.records_hash = 77;
    plan.savings = {{"views", 500, 400}, {"concat", 400, 390}};
    plan.order_search = {OrderSearch::kWidest, 11, 22, 33, 30, 29};
  }

  FakeDevice gpu{"GPU"}, cpu{"CPU"};
  PlanMaker maker;
};

TEST(Dump, Steps) {
  EXPECT_EQ(
      DumpSteps(Sample().maker.plan),
      "0 Upload 'n0' on GPU: fake, f32[2,3]\n"
      "1 Conv2D+Add 'add' (2 nodes) on GPU: conv_image, 100 "
      "multiply-adds, f32[5]\n"
      "2 Download 'n3' on GPU: fake, f32[7]\n"
      "3 Relu 'a \"quoted\" \\ \\x0a name' on CPU: relu, 1 multiply-adds, "
      "f32[7]\n");
}

TEST(Dump, Placement) {
  Sample sample;
  EXPECT_EQ(DumpPlacement(sample.maker.plan),
            "CPU runs 1 of 3 nodes\n"
            "GPU runs 2 of 3 nodes\n"
            "2 tensors of 52 bytes move between devices, 2 images of 256 "
            "bytes\n"
            "Relu 'a \"quoted\" \\ \\x0a name' on CPU: too \tsmall\n"
            "Reshape 'n5' on GPU: free\n");
  sample.maker.plan.placements.clear();
  EXPECT_EQ(DumpPlacement(sample.maker.plan), "");
}

TEST(Dump, PlanJson) {
  const json plan =
      json::parse(DumpPlanJson(Sample().maker.plan, "a \"note\""));
  const auto node = [](const char* name, const char* op, const char* device,
                       const char* kernel, const char* reason,
                       const char* part_of, int macs, const char* output) {
    return json{{"name", name},     {"op", op},         {"device", device},
                {"kernel", kernel}, {"reason", reason}, {"part_of", part_of},
                {"macs", macs},     {"stored", ""},     {"outputs", {output}}};
  };
  const json want = {
      {"note", "a \"note\""},
      {"nodes",
       {node("conv + add", "Conv2D+Add", "GPU", "conv_image", "", "", 100,
             "f32[5]"),
        node("a \"quoted\" \\ \n name", "Relu", "CPU", "relu", "too \tsmall",
             "", 1, "f32[7]"),
        node("conv", "Conv2D", "GPU", "none: part of 'conv + add'", "",
             "conv + add", 0, "f32[4]"),
        node("n5", "Reshape", "GPU", "none: a view", "free", "", 0,
             "f32[7,1]")}},
      {"moves",
       {{{"tensor", "n0"}, {"to", "GPU"}, {"bytes", 24}},
        {{"tensor", "n3"}, {"to", "CPU"}, {"bytes", 28}}}},
      {"num_images", 2},
      {"image_bytes", 256},
      {"arena_bytes", 640}};
  for (const auto& [key, value] : want.items()) EXPECT_EQ(plan[key], value);
}

TEST(Dump, PlanJsonSaysHowWeightsAreStored) {
  Sample sample;
  Node& conv = sample.maker.plan.graph.nodes[1].node;
  conv.inputs.resize(2);
  conv.inputs[1].stored = DataType::kBF16;
  const json plan = json::parse(DumpPlanJson(sample.maker.plan, ""));
  std::map<std::string, std::string> stored;
  for (const json& node : plan["nodes"]) {
    if (node["stored"] != "") stored[node["name"]] = node["stored"];
  }
  const std::map<std::string, std::string> want = {{conv.name, "bf16"}};
  EXPECT_EQ(stored, want);
}

TEST(Dump, Savings) {
  Sample sample;
  Plan& plan = sample.maker.plan;
  EXPECT_EQ(DumpSavings(plan),
            "order of steps: widest search, peak 33 -> 30 bytes of whole "
            "tensors, lower bound 29, work 11 of 22\n"
            "saved by views: 100 bytes\n"
            "saved by concat: 10 bytes\n");
  const char* const names[] = {"", "least", "widest search", "budget spent"};
  for (const auto end :
       {OrderSearch::kMinimum, OrderSearch::kWidest, OrderSearch::kBudget}) {
    plan.order_search.end = end;
    EXPECT_EQ(DumpSavings(plan).find(std::string("order of steps: ") +
                                     names[end] + ", "),
              0u);
  }
  plan.order_search.end = OrderSearch::kOff;
  EXPECT_EQ(DumpSavings(plan).find("saved by views"), 0u);
}

TEST(Dump, Memory) {
  const std::string text = DumpMemory(Sample().maker.plan);
  EXPECT_EQ(text.find("bytes 100 at 0, steps 0 to 2: r0\n"
                      "bytes 101 at 128, steps 1 to 3: r1\n"
                      "bytes 102 at 256, steps 2 to 4: r2\n"),
            0u)
      << text;
  EXPECT_NE(text.find("\nsaved by views: 100 bytes\n"), std::string::npos);
  EXPECT_NE(
      text.find("\ntotal 358 bytes, lower bound 300, feasible, by AUTO\n"),
      std::string::npos)
      << text;
}

TEST(Dump, MemoryJson) {
  Sample sample;
  sample.maker.plan.used_embedded_plan = true;
  const json plan = json::parse(DumpMemoryJson(sample.maker.plan));
  json records = json::array();
  for (int i = 0; i < 3; ++i) {
    records.push_back({{"name", "r" + std::to_string(i)},
                       {"size", 100 + i},
                       {"first", i},
                       {"last", i + 2},
                       {"align", 64}});
  }
  records[1]["may_overlap"] = {0, 2};
  records[1]["overlaps"] = {{{"other", 0}, {"safe_distance", 8}},
                            {{"other", 2}}};
  const json want = {{"records", records},
                     {"offsets", {0, 128, 256}},
                     {"steps",
                      {{{"name", "n0"}, {"op", "Upload"}},
                       {{"name", "conv + add"}, {"op", "Conv2D+Add"}},
                       {{"name", "n3"}, {"op", "Download"}},
                       {{"name", "a \"quoted\" \\ \n name"}, {"op", "Relu"}}}},
                     {"savings",
                      {{{"name", "views"}, {"before", 500}, {"after", 400}},
                       {{"name", "concat"}, {"before", 400}, {"after", 390}}}},
                     {"order_search",
                      {{"end", "widest search"},
                       {"peak_before", 33},
                       {"peak_after", 30},
                       {"bound", 29},
                       {"work", 11},
                       {"budget", 22}}},
                     {"records_hash", 77},
                     {"embedded_plan", true},
                     {"total_size", 358},
                     {"bound", 300},
                     {"status", "feasible"},
                     {"strategy", "AUTO"},
                     {"nodes", 12},
                     {"us", 34}};
  for (const auto& [key, value] : want.items()) EXPECT_EQ(plan[key], value);
  sample.maker.plan.used_embedded_plan = false;
  EXPECT_FALSE(json::parse(DumpMemoryJson(sample.maker.plan))["embedded_plan"]);
}

}  // namespace
}  // namespace mace
