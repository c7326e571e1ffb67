// Convolutions on the GPU that add a tensor to their results in one kernel.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

const Shape kShape = {2, 60, 58, 40};

std::vector<float> Numbers(const Shape& shape, int seed) {
  std::vector<float> values(NumElements(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<float>(i * 7 + seed));
  }
  return values;
}

// What a case differs in from a sum that is fused.
struct Case {
  std::string convolution = "NOOP";  // its activation
  std::string sum = "RELU";          // likewise
  std::string type = "SUM";          // of the Eltwise
  bool convolution_first = true;
  bool by_channel = false;  // the addend has one number for each channel
  bool is_read_twice = false;
  int64_t taps = 3;
};

std::shared_ptr<MaceModel> Model(const Case& c) {
  const Shape filter = {40, 40, c.taps, c.taps};
  const std::string addend = c.by_channel ? "mean" : "x";
  ModelBuilder b;
  b.Input("x", kShape)
      .Weight("w", filter, Numbers(filter, 1))
      .Weight("b", {40}, Numbers({40}, 2))
      .Op("Reduce", {"x"}, {"mean"},
          {{"reduce_type", std::string("MEAN")},
           {"axis", std::vector<int64_t>{1, 2}},
           {"keepdims", int64_t{1}}})
      .Op("Conv2d", {"x", "w", "b"}, {"c"},
          {{"padding", int64_t{1}}, {"activation", c.convolution}});
  const std::vector<std::string> operands = {"c", addend};
  b.Op("Eltwise",
       c.convolution_first ? operands : std::vector<std::string>{addend, "c"},
       {"y"}, {{"type", c.type}, {"activation", c.sum}});
  b.Output("y").Output("mean");
  if (c.is_read_twice) b.Output("c");
  return b.Load();
}

struct Answer {
  std::string plan;
  std::vector<float> values;
};

Answer RunCase(const Case& c, DeviceType device, const std::string& data_type) {
  MaceEngineConfig config(device);
  EXPECT_TRUE(config.SetGPUDataType(data_type).ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus created =
      MaceEngine::Create(Model(c), {}, {}, config, &engine);
  EXPECT_TRUE(created.ok()) << created.information();
  Answer answer;
  if (!created.ok()) return answer;
  EXPECT_TRUE(engine->Dump("plan", &answer.plan).ok());
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus run =
      engine->Run({{"x", FloatTensor(kShape, Numbers(kShape, 3))}}, &outputs);
  EXPECT_TRUE(run.ok()) << run.information();
  if (run.ok()) answer.values = Values(outputs["y"]);
  return answer;
}

// Whether the GPU runs both nodes as one; checks the results against the CPU's.
bool IsFused(const Case& c) {
  const Answer want = RunCase(c, CPU, "fp32_fp32");
  Answer got;
  for (const std::string type : {"fp32_fp32", "fp16_fp32"}) {
    SCOPED_TRACE(type);
    got = RunCase(c, GPU, type);
    EXPECT_EQ(got.values.size(), want.values.size());
    float most = 0;
    for (const float v : want.values) most = std::max(most, std::fabs(v));
    const float tolerance = (type == "fp32_fp32" ? 2e-5f : 4e-3f) * most;
    for (size_t i = 0; i < got.values.size(); ++i) {
      EXPECT_NEAR(got.values[i], want.values[i], tolerance) << i;
      if (::testing::Test::HasFailure()) break;
    }
  }
  return got.plan.find("with the sum") != std::string::npos;
}

class GpuFused : public ::testing::Test {
 protected:
  void SetUp() override {
    const Answer answer = RunCase({}, GPU, "fp32_fp32");
    if (answer.plan.find("no GPU") != std::string::npos) {
      FailOrSkipWithoutGpu(answer.plan);
    }
  }
};

TEST_F(GpuFused, AddsATensorOfTheSameShape) {
  EXPECT_TRUE(IsFused({}));
  Case c;
  c.convolution_first = false;
  c.sum = "HARDSWISH";
  EXPECT_TRUE(IsFused(c));
  c.sum = "NOOP";
  c.taps = 1;
  EXPECT_TRUE(IsFused(c));
}

TEST_F(GpuFused, LeavesOthersApart) {
  Case activated;
  activated.convolution = "RELU";
  EXPECT_FALSE(IsFused(activated));
  Case difference;
  difference.type = "SUB";
  EXPECT_FALSE(IsFused(difference));
  Case broadcast;
  broadcast.by_channel = true;
  EXPECT_FALSE(IsFused(broadcast));
  Case read_twice;
  read_twice.is_read_twice = true;
  EXPECT_FALSE(IsFused(read_twice));
}

}  // namespace
}  // namespace mace::testing
