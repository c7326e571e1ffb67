// Weights on the GPU: uploaded once for all plans and engines of a model,
// counted in the memory report, and freed with the last engine.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/opencl/driver/cl_runtime.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using opencl::ClApi;

ClApi real;
std::atomic<int> uploads{0};  // memory made of what the host has
std::atomic<int> live{0};     // memory objects

cl_mem CL_API_CALL CreateImage(cl_context context, cl_mem_flags flags,
                               const cl_image_format* format,
                               const cl_image_desc* desc, void* host,
                               cl_int* code) {
  if (host != nullptr) ++uploads;
  ++live;
  return real.clCreateImage(context, flags, format, desc, host, code);
}

cl_mem CL_API_CALL CreateBuffer(cl_context context, cl_mem_flags flags,
                                size_t size, void* host, cl_int* code) {
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0) ++uploads;
  ++live;
  return real.clCreateBuffer(context, flags, size, host, code);
}

cl_int CL_API_CALL Release(cl_mem memory) {
  --live;
  return real.clReleaseMemObject(memory);
}

const Shape kShape = {1, 64, 64, 16};
// Of the test's model in fp16: a filter of 32x16x3x3 is 16 x (8 * 9) pixels, a
// depthwise one of 32x3x3 is 9 x 8, and one image of 32 zeros serves for both
// biases.
constexpr int64_t kBytes = 8 * (16 * 8 * 9 + 9 * 8 + 8);

class GpuWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    real = **system;
    api_ = real;
    api_.clCreateImage = CreateImage;
    api_.clCreateBuffer = CreateBuffer;
    api_.clReleaseMemObject = Release;
    opencl::SetClApiForTesting(&api_);
    const auto runtime = opencl::ClRuntime::Shared({});
    if (!runtime.ok()) {
      return FailOrSkipWithoutGpu(runtime.status().information());
    }
    uploads = live = 0;
  }
  void TearDown() override { opencl::SetClApiForTesting(nullptr); }

  // A convolution, a depthwise one and an activation.
  static std::shared_ptr<MaceModel> Load(const Shape& shape) {
    ModelBuilder b;
    b.Input("x", shape)
        .Weight("w", {32, 16, 3, 3}, std::vector<float>(32 * 16 * 9, 0.5f))
        .Weight("d", {1, 32, 3, 3}, std::vector<float>(32 * 9, 0.25f))
        .Op("Conv2d", {"x", "w"}, {"c"}, {{"padding", int64_t{1}}})
        .Op("DepthwiseConv2d", {"c", "d"}, {"e"}, {{"padding", int64_t{1}}})
        .Op("Activation", {"e"}, {"y"}, {{"activation", std::string("RELU")}})
        .Output("y");
    return b.Load();
  }

  static std::shared_ptr<MaceEngine> Create(
      const std::shared_ptr<MaceModel>& model,
      const std::vector<std::string>& float32_nodes = {}) {
    MaceEngineConfig config(GPU);
    config.SetFloat32Nodes(float32_nodes);
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(model, {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    return engine;
  }

  static MaceMemoryCategory OnDevice(const MaceEngine& engine) {
    MaceMemoryUsage usage;
    EXPECT_TRUE(engine.GetMemoryUsage(&usage).ok());
    for (const MaceMemoryCategory& category : usage.categories) {
      if (category.name == "device_weights") return category;
    }
    ADD_FAILURE() << "no category device_weights";
    return {};
  }

  static std::vector<float> Run(MaceEngine& engine, const Shape& shape) {
    std::map<std::string, MaceTensor> outputs;
    const std::vector<float> ones(static_cast<size_t>(NumElements(shape)), 1);
    const MaceStatus status =
        engine.Run({{"x", FloatTensor(shape, ones)}}, &outputs);
    EXPECT_TRUE(status.ok()) << status.information();
    return status.ok() ? Values(outputs["y"]) : std::vector<float>();
  }

  ClApi api_;
};

// The uploads of a debug build include a counter for each engine.
#ifdef NDEBUG
constexpr int kPerEngine = 0;
#else
constexpr int kPerEngine = 1;
#endif

TEST_F(GpuWeights, AreUploadedOnceForAllPlansAndEngines) {
  const auto model = Load(kShape);
  auto first = Create(model);
  EXPECT_EQ(uploads, 3 + kPerEngine);
  EXPECT_EQ(OnDevice(*first).used_bytes, kBytes);
  EXPECT_EQ(OnDevice(*first).count, 3);
  const std::vector<float> expected = Run(*first, kShape);
  // Another plan.
  Run(*first, {1, 48, 80, 16});
  EXPECT_EQ(uploads, 3 + kPerEngine);
  // Another engine.
  auto second = Create(model);
  EXPECT_EQ(uploads, 3 + 2 * kPerEngine);
  EXPECT_EQ(OnDevice(*second).used_bytes, kBytes);
  EXPECT_EQ(Run(*second, kShape), expected);
  // The one that uploaded them is gone.
  first.reset();
  EXPECT_EQ(OnDevice(*second).used_bytes, kBytes);
  EXPECT_EQ(Run(*second, kShape), expected);
  // With the last engine all is freed, though the model is still there.
  second.reset();
  EXPECT_EQ(live, 0);
  const auto third = Create(model);
  EXPECT_EQ(uploads, 6 + 3 * kPerEngine);
  EXPECT_EQ(OnDevice(*third).count, 3);
}

TEST_F(GpuWeights, OfAnotherTypeAreOtherCopies) {
  const auto model = Load(kShape);
  const auto fp16 = Create(model);
  // The filter and the bias of "c", again in float32.
  const auto mixed = Create(model, {"c"});
  EXPECT_EQ(OnDevice(*mixed).count, 5);
  EXPECT_EQ(OnDevice(*mixed).used_bytes, kBytes + 16 * (16 * 8 * 9 + 8));
  // A model of its own has its own.
  const auto other = Load(kShape);
  EXPECT_EQ(OnDevice(*Create(other)).count, 3);
}

TEST_F(GpuWeights, OfNodesOnTheCpuStayOnTheHost) {
  // Too small to be worth moving.
  const auto engine = Create(Load({1, 4, 4, 16}));
  std::string plan;
  ASSERT_TRUE(engine->Dump("plan", &plan).ok());
  ASSERT_EQ(plan.find(" on GPU"), std::string::npos) << plan;
  EXPECT_EQ(uploads, kPerEngine);
  EXPECT_EQ(OnDevice(*engine).count, 0);
}

}  // namespace
}  // namespace mace::testing
