// Images of engines on the GPU: which strategies plan them, and how they are
// counted.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/memory/strategy.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Large enough for the GPU to pay; `on_cpu` adds an op of integers before the
// output, which the GPU does not have.
ModelBuilder Network(bool on_cpu = false) {
  const AttrMap same = {{"strides", Ints{1, 1}}, {"padding", int64_t{1}}};
  ModelBuilder b;
  b.Input("x", {1, 64, 64, 16})
      .Weight("w1", {32, 16, 3, 3}, SmallWeights(32 * 16 * 9))
      .Weight("w2", {32, 32, 3, 3}, SmallWeights(32 * 32 * 9))
      .Weight("w3", {16, 32, 3, 3}, SmallWeights(16 * 32 * 9))
      .Op("Conv2d", {"x", "w1"}, {"a"}, same)
      .Op("Conv2d", {"a", "w2"}, {"b"}, same)
      .Op("Conv2d", {"b", "w3"}, {"c"}, same);
  if (on_cpu) {
    b.Op("ArgMax", {"c"}, {"m"},
         {{"axis", int64_t{3}}, {"keepdims", int64_t{1}}})
        .Op("Cast", {"m"}, {"f"}, {{"to", std::string("f32")}})
        .Op("Softmax", {"f"}, {"y"});
  } else {
    b.Op("Activation", {"c"}, {"y"}, {{"activation", std::string("RELU")}});
  }
  b.Output("y");
  return b;
}

MaceTensor Picture() {
  std::vector<float> v(64 * 64 * 16);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 11) - 5;
  return FloatTensor({1, 64, 64, 16}, v);
}

class GpuImages : public ::testing::Test {
 protected:
  void SetUp() override {
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(Network(), "AUTO", &engine);
    ASSERT_TRUE(status.ok()) << status.information();
    std::string plan;
    ASSERT_TRUE(engine->Dump("plan", &plan).ok());
    if (plan.find("on GPU") == std::string::npos) FailOrSkipWithoutGpu(plan);
  }

  static MaceStatus Create(ModelBuilder b, const std::string& strategy,
                           std::shared_ptr<MaceEngine>* engine) {
    MaceEngineConfig config(GPU);
    MACE_RETURN_IF_ERROR(config.SetMemoryStrategy(strategy));
    return MaceEngine::Create(b.Load(), {}, {}, config, engine);
  }

  static std::vector<float> RunOnce(MaceEngine& engine) {
    std::map<std::string, MaceTensor> outputs;
    const MaceStatus status = engine.Run({{"x", Picture()}}, &outputs);
    EXPECT_TRUE(status.ok()) << status.information();
    return Values(outputs["y"]);
  }

  static MaceMemoryUsage UsageOf(const MaceEngine& engine) {
    MaceMemoryUsage usage;
    EXPECT_TRUE(engine.GetMemoryUsage(&usage).ok());
    return usage;
  }

  static MaceMemoryCategory Images(const MaceMemoryUsage& usage) {
    for (const MaceMemoryCategory& c : usage.categories) {
      if (c.name == "images") return c;
    }
    return {};
  }
};

TEST_F(GpuImages, EveryStrategyPlansThemOrSaysWhyNot) {
  std::shared_ptr<MaceEngine> automatic;
  ASSERT_TRUE(Create(Network(), "AUTO", &automatic).ok());
  const std::vector<float> want = RunOnce(*automatic);
  const int64_t least = UsageOf(*automatic).image_bytes;
  for (const memory::Strategy& strategy : memory::Strategies()) {
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(Network(), strategy.name, &engine);
    if (strategy.images() != nullptr) {
      ASSERT_TRUE(status.ok()) << strategy.name << status.information();
      EXPECT_EQ(RunOnce(*engine), want) << strategy.name;
      EXPECT_GE(UsageOf(*engine).image_bytes, least) << strategy.name;
      std::string text;
      ASSERT_TRUE(engine->Dump("memory", &text).ok());
      EXPECT_NE(text.find(std::string("by ") + strategy.images()->name),
                std::string::npos)
          << text;
      continue;
    }
    EXPECT_EQ(status.code(), MaceStatus::MACE_UNSUPPORTED) << strategy.name;
    for (const std::string& part :
         {"memory_strategy '" + strategy.name + "'", std::string("on the GPU"),
          std::string("objects/EQUALITY")}) {
      EXPECT_NE(status.information().find(part), std::string::npos)
          << status.information();
    }
  }
}

TEST_F(GpuImages, PreserveAllGivesEachTensorItsOwn) {
  std::shared_ptr<MaceEngine> all, automatic;
  ASSERT_TRUE(Create(Network(), "PRESERVE_ALL", &all).ok());
  ASSERT_TRUE(Create(Network(), "AUTO", &automatic).ok());
  const MaceMemoryUsage usage = UsageOf(*all);
  EXPECT_EQ(usage.image_bytes, Images(usage).requested_bytes);
  EXPECT_GT(usage.image_bytes, UsageOf(*automatic).image_bytes);
  EXPECT_EQ(RunOnce(*all), RunOnce(*automatic));
}

TEST_F(GpuImages, AreCounted) {
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(Create(Network(), "AUTO", &engine).ok());
  const MaceMemoryUsage usage = UsageOf(*engine);
  const MaceMemoryCategory images = Images(usage);
  // x, a, b, c and perhaps y: 64 x 64 pixels a block of four channels, fp16.
  const int64_t block = 64 * 64 * 8;
  EXPECT_GE(images.count, 4);
  EXPECT_GE(images.requested_bytes, (4 + 8 + 8 + 4) * block);
  EXPECT_EQ(images.used_bytes, usage.image_bytes);
  EXPECT_GE(usage.image_peak_bytes, (8 + 8) * block);
  EXPECT_GE(usage.image_bytes, usage.image_peak_bytes);
  EXPECT_LE(usage.image_lower_bound_bytes, usage.image_bytes);
  std::string text;
  ASSERT_TRUE(engine->Dump("memory_json", &text).ok());
  EXPECT_NE(text.find("\"images\": {\"max_extents\": ["), std::string::npos)
      << text;
}

TEST_F(GpuImages, BesideAnArenaTheStrategyPlansTheArena) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      Create(Network(true), "offsets/GREEDY_BY_SIZE", &engine);
  ASSERT_TRUE(status.ok()) << status.information();
  const MaceMemoryUsage usage = UsageOf(*engine);
  ASSERT_GT(usage.head_bytes, 0);
  ASSERT_GT(usage.image_bytes, 0);
  std::string text;
  ASSERT_TRUE(engine->Dump("memory", &text).ok());
  EXPECT_NE(text.find("by offsets/GREEDY_BY_SIZE"), std::string::npos) << text;
  EXPECT_NE(text.find("by objects/AUTO"), std::string::npos) << text;
}

}  // namespace
}  // namespace mace::testing
