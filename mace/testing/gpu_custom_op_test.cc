// A custom op between nodes on the GPU: it runs on host memory.
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

using Ints = std::vector<int64_t>;

// y = x + the channel's index, of [N,H,W,C].
class AddChannel : public MaceCustomOp {
 public:
  MaceStatus Prepare(MaceOpShapes* shapes) override {
    return shapes->SetOutput(0, IDT_FLOAT, shapes->input(0).shape());
  }
  MaceStatus Run(const MaceOpTensors& tensors) override {
    const MaceOpTensorView x = tensors.input(0);
    const int64_t channels = x.dim(3);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      tensors.output(0).data<float>()[i] =
          x.data<float>()[i] + static_cast<float>(i % channels);
    }
    return MaceStatus();
  }
};

// Large enough for the GPU to pay, on both sides of the custom op.
ModelBuilder Network() {
  const AttrMap same = {{"strides", Ints{1, 1}}, {"padding", int64_t{1}}};
  ModelBuilder b;
  b.Input("x", {1, 64, 64, 16})
      .Weight("w1", {30, 16, 3, 3}, SmallWeights(30 * 16 * 9))
      .Weight("w2", {16, 30, 3, 3}, SmallWeights(16 * 30 * 9))
      .Op("Conv2d", {"x", "w1"}, {"a"}, same)
      .Op("AddChannel", {"a"}, {"b"})
      .Op("Conv2d", {"b", "w2"}, {"y"}, same)
      .Output("y");
  return b;
}

std::vector<float> RunOn(DeviceType device, const std::string& data_type,
                         std::string* plan) {
  MaceOpResolver resolver;
  EXPECT_TRUE(resolver.AddCustom<AddChannel>("AddChannel").ok());
  MaceEngineConfig config(device);
  config.SetOpResolver(resolver);
  EXPECT_TRUE(config.SetGPUDataType(data_type).ok());
  ModelBuilder b = Network();
  std::shared_ptr<MaceEngine> engine;
  MaceStatus status = MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  if (!status.ok()) {
    ADD_FAILURE() << status.information();
    return {};
  }
  EXPECT_TRUE(engine->Dump("plan", plan).ok());
  std::vector<float> x(64 * 64 * 16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) - 5;
  std::map<std::string, MaceTensor> outputs;
  status = engine->Run({{"x", FloatTensor({1, 64, 64, 16}, x)}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return status.ok() ? Values(outputs["y"]) : std::vector<float>();
}

TEST(GpuCustomOp, RunsOnHostMemory) {
  std::string plan;
  const std::vector<float> on_cpu = RunOn(CPU, "fp32_fp32", &plan);
  ASSERT_FALSE(on_cpu.empty());
  for (const char* data_type : {"fp32_fp32", "fp16_fp32"}) {
    const std::vector<float> on_gpu = RunOn(GPU, data_type, &plan);
    if (plan.find("GPU") == std::string::npos) {
      FailOrSkipWithoutGpu(plan);
      return;
    }
    // Down to host memory for the op, and up again.
    EXPECT_NE(plan.find("Download"), std::string::npos) << plan;
    EXPECT_NE(plan.find("AddChannel"), std::string::npos) << plan;
    ASSERT_EQ(on_gpu.size(), on_cpu.size());
    // fp16 has 11 bits; sums of 270 products of about 30 / 64.
    const float most = data_type == std::string("fp32_fp32") ? 1e-3f : 0.5f;
    float worst = 0;
    for (size_t i = 0; i < on_cpu.size(); ++i) {
      worst = std::fmax(worst, std::fabs(on_cpu[i] - on_gpu[i]));
    }
    EXPECT_LT(worst, most) << data_type;
  }
}

}  // namespace
}  // namespace mace::testing
