// Fp16 values that overflow on the GPU: found, named, and cured node by node.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

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

const Shape kShape = {1, 64, 64, 16};

// Convolutions of ones: c1 reaches 72 and c2 2e6, which fp16 cannot hold; c3
// brings it back to 16200.
ModelBuilder Network() {
  ModelBuilder b;
  b.Input("x", kShape)
      .Weight("w1", {32, 16, 3, 3}, std::vector<float>(32 * 16 * 9, 0.5f))
      .Weight("w2", {32, 32, 3, 3}, std::vector<float>(32 * 32 * 9, 100))
      .Weight("w3", {32, 32, 1, 1}, std::vector<float>(32 * 32, 1.0f / 4096))
      .Op("Conv2d", {"x", "w1"}, {"c1"}, {{"padding", int64_t{1}}})
      .Op("Conv2d", {"c1", "w2"}, {"c2"}, {{"padding", int64_t{1}}})
      .Op("Reshape", {"c2"}, {"flat"},
          {{"dim", std::vector<int64_t>{1, 64, 64, 32}}})
      .Op("Conv2d", {"flat", "w3"}, {"c3"})
      .Output("c3");
  return b;
}

// With what its deployment file gave for the type and for nodes.
std::shared_ptr<MaceModel> Model(const std::string& data_type = "",
                                 const std::vector<std::string>& nodes = {}) {
  ModelBuilder b = Network();
  if (!data_type.empty()) {
    proto::Setting* setting = b.net().add_settings();
    setting->set_name("gpu_data_type");
    setting->set_s(data_type);
  }
  if (!nodes.empty()) {
    proto::Setting* setting = b.net().add_settings();
    setting->set_name("float32_nodes");
    for (const std::string& name : nodes) {
      setting->mutable_strings()->add_items(name);
    }
  }
  return b.Load();
}

struct Answer {
  MaceStatus status;
  std::string plan;
  std::vector<float> values;
};

Answer RunModel(std::shared_ptr<MaceModel> model,
                const MaceEngineConfig& config, float x = 1) {
  std::shared_ptr<MaceEngine> engine;
  Answer answer;
  answer.status = MaceEngine::Create(std::move(model), {}, {}, config, &engine);
  EXPECT_TRUE(answer.status.ok()) << answer.status.information();
  if (!answer.status.ok()) return answer;
  EXPECT_TRUE(engine->Dump("plan", &answer.plan).ok());
  std::map<std::string, MaceTensor> outputs;
  const std::vector<float> input(NumElements(kShape), x);
  answer.status = engine->Run({{"x", FloatTensor(kShape, input)}}, &outputs);
  if (answer.status.ok()) answer.values = Values(outputs["c3"]);
  return answer;
}

// Of a caller who chooses both.
Answer Try(DeviceType device, const std::string& data_type,
           const std::vector<std::string>& float32_nodes, bool check,
           float x = 1) {
  MaceEngineConfig config(device);
  EXPECT_TRUE(config.SetGPUDataType(data_type).ok());
  config.SetFloat32Nodes(float32_nodes);
  config.SetNumericCheck(check);
  return RunModel(Model(), config, x);
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class GpuPrecision : public ::testing::Test {
 protected:
  void SetUp() override {
    const Answer answer = Try(GPU, "fp32_fp32", {}, false);
    if (Holds(answer.plan, "no GPU")) {
      FailOrSkipWithoutGpu(answer.plan);
      return;
    }
    ASSERT_TRUE(Holds(answer.plan, "Conv2d 'c2' on GPU")) << answer.plan;
    want_ = Try(CPU, "fp32_fp32", {}, true).values;
    ExpectNear(answer.values, 1e-5f);
  }

  void ExpectNear(const std::vector<float>& got, float tolerance) const {
    ASSERT_EQ(got.size(), want_.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], want_[i], tolerance * want_[i]) << i;
    }
  }

  std::vector<float> want_;
};

TEST_F(GpuPrecision, Fp16Overflow) {
  const Answer answer = Try(GPU, "fp16_fp32", {}, false);
  ASSERT_TRUE(answer.status.ok());
  // Some drivers write infinity, others the largest fp16 value.
  const size_t middle = 33 * 64 * 32;
  EXPECT_FALSE(std::fabs(answer.values[middle] - want_[middle]) <
               0.5f * want_[middle]);
}

TEST_F(GpuPrecision, TheFirstOverflowIsNamed) {
  const Answer answer = Try(GPU, "fp16_fp32", {}, true);
  const std::string message = answer.status.information();
  EXPECT_EQ(answer.status, MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_TRUE(Holds(message,
                    "Conv2d 'c2' is the first with a bad value: its output "
                    "'c2' f16[1,64,64,32], an image on the GPU"))
      << message;
  EXPECT_TRUE(Holds(message, " at [0,0,0,0] (element 0)")) << message;
  EXPECT_TRUE(Holds(message, "holds infinity") ||
              Holds(message, "holds the largest fp16 value"))
      << message;
  EXPECT_TRUE(Holds(message, "--float32_nodes=c2")) << message;
}

TEST_F(GpuPrecision, OneNodeInFloatCuresIt) {
  for (bool check : {false, true}) {
    const Answer answer = Try(GPU, "fp16_fp32", {"c2"}, check);
    ASSERT_TRUE(answer.status.ok()) << answer.status.information();
    ExpectNear(answer.values, 2e-3f);
    // The reshape gives the floats another name, and nothing is converted.
    EXPECT_TRUE(Holds(answer.plan, "f16[1,64,64,32]")) << answer.plan;
    EXPECT_TRUE(Holds(answer.plan, "f32[1,64,64,32]")) << answer.plan;
    EXPECT_TRUE(Holds(answer.plan, "2 tensors of")) << answer.plan;
  }
}

// An app that only loads the model computes what its deployment file says.
TEST_F(GpuPrecision, TheModelNamesTheNodes) {
  MaceEngineConfig config(GPU);
  config.SetNumericCheck(true);
  EXPECT_FALSE(RunModel(Model(), config).status.ok());
  for (const auto& model : {Model("", {"c2"}), Model("fp32_fp32")}) {
    const Answer answer = RunModel(model, config);
    ASSERT_TRUE(answer.status.ok()) << answer.status.information();
    ExpectNear(answer.values, 2e-3f);
  }
  // What the caller chooses wins.
  config.SetFloat32Nodes({});
  EXPECT_FALSE(RunModel(Model("", {"c2"}), config).status.ok());
  ASSERT_TRUE(config.SetGPUDataType("fp16_fp32").ok());
  EXPECT_FALSE(RunModel(Model("fp32_fp32"), config).status.ok());
}

TEST_F(GpuPrecision, AnInputBeyondFp16NamesItsReader) {
  const Answer answer = Try(GPU, "fp16_fp32", {}, true, 1e5f);
  EXPECT_TRUE(Holds(answer.status.information(), "Upload 'x'"))
      << answer.status.information();
  EXPECT_TRUE(Holds(answer.status.information(), "--float32_nodes=c1"))
      << answer.status.information();
  const Answer cured = Try(GPU, "fp16_fp32", {"c1", "c2", "c3"}, true, 1e5f);
  EXPECT_TRUE(cured.status.ok()) << cured.status.information();
}

}  // namespace
}  // namespace mace::testing
