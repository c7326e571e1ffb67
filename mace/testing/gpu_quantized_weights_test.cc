// Weights as int8 in the GPU's memory: half the bytes of fp16, the
// results of floats, and a reason where floats take their place.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
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
std::set<cl_channel_type> hidden;         // formats that the device lacks
std::map<cl_channel_type, int> uploaded;  // images made of what the host has

cl_int CL_API_CALL Formats(cl_context context, cl_mem_flags flags,
                           cl_mem_object_type type, cl_uint most,
                           cl_image_format* formats, cl_uint* count) {
  std::vector<cl_image_format> all(1000);
  cl_uint n = 0;
  const cl_int code = real.clGetSupportedImageFormats(
      context, flags, type, static_cast<cl_uint>(all.size()), all.data(), &n);
  if (code != CL_SUCCESS) return code;
  all.resize(n);
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const cl_image_format& f) {
                             return hidden.count(f.image_channel_data_type) > 0;
                           }),
            all.end());
  if (count != nullptr) *count = static_cast<cl_uint>(all.size());
  if (formats != nullptr) {
    std::copy_n(all.begin(), std::min<size_t>(most, all.size()), formats);
  }
  return CL_SUCCESS;
}

cl_mem CL_API_CALL CreateImage(cl_context context, cl_mem_flags flags,
                               const cl_image_format* format,
                               const cl_image_desc* desc, void* host,
                               cl_int* code) {
  if (host != nullptr) ++uploaded[format->image_channel_data_type];
  return real.clCreateImage(context, flags, format, desc, host, code);
}

// A convolution of 64x64 pixels and a layer of 10 outputs, which has most of
// the weights.
const Shape kInput = {1, 64, 64, 16};
constexpr int64_t kOutputs = 32, kDepth = 16 * 3 * 3, kClasses = 10;
constexpr int64_t kFeatures = 32 * 32 * kOutputs;
// Pixels of the two weights' images, of four elements each.
constexpr int64_t kPixels =
    kOutputs / 4 * kDepth + (kClasses + 3) / 4 * kFeatures;
// Biases in fp16.
constexpr int64_t kBiasBytes = 8 * (kOutputs / 4 + (kClasses + 3) / 4);
constexpr int64_t kScaleBytes = 2 * kBiasBytes;

std::vector<int8_t> SomeInt8(int64_t n) {
  std::vector<int8_t> quantized(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    quantized[i] = static_cast<int8_t>(i * 37 % 255 - 127);
  }
  return quantized;
}

std::vector<float> SomeScales(int64_t n) {
  std::vector<float> scales;
  for (int64_t i = 0; i < n; ++i) {
    scales.push_back(0.5f / static_cast<float>(1 + i % 5) / 127 / 64);
  }
  return scales;
}

struct Network {
  std::vector<int8_t> filter = SomeInt8(kOutputs * kDepth);
  std::vector<int8_t> matrix = SomeInt8(kClasses * kFeatures);
  int32_t matrix_zero = 0;  // its zero point
  bool is_quantized = true;

  std::shared_ptr<MaceModel> Load() const {
    ModelBuilder b;
    b.Input("x", kInput);
    Add(b, "w", {kOutputs, 16, 3, 3}, filter, 0);
    Add(b, "m", {kClasses, kFeatures}, matrix, matrix_zero);
    b.Weight("bc", {kOutputs}, SmallWeights(kOutputs))
        .Weight("bf", {kClasses}, SmallWeights(kClasses))
        .Op("Conv2d", {"x", "w", "bc"}, {"c"},
            {{"padding", int64_t{1}},
             {"strides", std::vector<int64_t>{2, 2}},
             {"activation", std::string("RELU")}})
        .Op("FullyConnected", {"c", "m", "bf"}, {"y"})
        .Output("y");
    return b.Load();
  }

 private:
  void Add(ModelBuilder& b, const char* name, const Shape& shape,
           const std::vector<int8_t>& quantized, int32_t zero) const {
    const std::vector<float> scales = SomeScales(shape[0]);
    if (is_quantized && zero != 0) {
      b.QuantizedWeight(name, shape, quantized,
                        {scales, std::vector<int32_t>(scales.size(), zero), 0});
      return;
    }
    if (is_quantized) {
      b.QuantizedWeight(name, shape, quantized, scales);
      return;
    }
    std::vector<float> values;
    const size_t depth = quantized.size() / scales.size();
    for (size_t i = 0; i < quantized.size(); ++i) {
      values.push_back(scales[i / depth] *
                       static_cast<float>(quantized[i] - zero));
    }
    b.Weight(name, shape, values);
  }
};

struct Answer {
  std::vector<float> values;
  std::string plan, json;
  int64_t device_bytes = 0, packed_bytes = 0;
};

class GpuQuantizedWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    real = **system;
    api_ = real;
    api_.clGetSupportedImageFormats = Formats;
    api_.clCreateImage = CreateImage;
    opencl::SetClApiForTesting(&api_);
    hidden.clear();
    const auto runtime = opencl::ClRuntime::Shared({});
    if (!runtime.ok()) {
      return FailOrSkipWithoutGpu(runtime.status().information());
    }
    has_snorm_ = (*runtime)->context().info().has_snorm8_images;
    ASSERT_TRUE((*runtime)->context().info().has_unorm8_images);
    uploaded.clear();
  }
  void TearDown() override { opencl::SetClApiForTesting(nullptr); }

  static Answer Run(const std::shared_ptr<MaceModel>& model, DeviceType runtime,
                    const char* type = "fp16_fp32") {
    Answer answer;
    MaceEngineConfig config(runtime);
    EXPECT_TRUE(config.SetGPUDataType(type).ok());
    std::shared_ptr<MaceEngine> engine;
    MaceStatus status = MaceEngine::Create(model, {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    if (!status.ok()) return answer;
    EXPECT_TRUE(engine->Dump("plan", &answer.plan).ok());
    EXPECT_TRUE(engine->Dump("plan_json", &answer.json).ok());
    MaceMemoryUsage usage;
    EXPECT_TRUE(engine->GetMemoryUsage(&usage).ok());
    for (const MaceMemoryCategory& category : usage.categories) {
      if (category.name == "device_weights") {
        answer.device_bytes = category.used_bytes;
      } else if (category.name == "packed_weights") {
        answer.packed_bytes = category.used_bytes;
      }
    }
    std::vector<float> x(static_cast<size_t>(NumElements(kInput)));
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i % 23) / 16 - 0.5f;
    }
    std::map<std::string, MaceTensor> outputs;
    status = engine->Run({{"x", FloatTensor(kInput, x)}}, &outputs);
    EXPECT_TRUE(status.ok()) << status.information();
    if (status.ok()) answer.values = Values(outputs["y"]);
    return answer;
  }

  static void ExpectNear(const Answer& got, const Answer& want,
                         float tolerance) {
    ASSERT_EQ(got.values.size(), want.values.size());
    float most = 0;
    for (const float v : want.values) most = std::max(most, std::fabs(v));
    ASSERT_GT(most, 0);
    for (size_t i = 0; i < got.values.size(); ++i) {
      EXPECT_NEAR(got.values[i], want.values[i], tolerance * most) << i;
    }
  }

  static void ExpectPlan(const Answer& answer, const std::string& text) {
    EXPECT_NE(answer.plan.find(text), std::string::npos)
        << "not there: " << text << "\n"
        << answer.plan;
  }

  // Expects a line of the plan with this kernel, in teams or not, and with
  // `weights` behind it.
  static void ExpectKernel(const Answer& answer, const std::string& kernel,
                           const std::string& weights) {
    const size_t at = answer.plan.find(": " + kernel);
    const std::string line =
        at == std::string::npos
            ? ""
            : answer.plan.substr(at, answer.plan.find('\n', at) - at);
    EXPECT_NE(line.find(", weights " + weights), std::string::npos)
        << "not there: " << kernel << ", " << weights << "\n"
        << answer.plan;
  }

  ClApi api_;
  bool has_snorm_ = false;
};

TEST_F(GpuQuantizedWeights, HalveTheBytesOfFp16) {
  Network floats;
  floats.is_quantized = false;
  const Answer fp16 = Run(floats.Load(), GPU);
  EXPECT_EQ(fp16.device_bytes, 8 * kPixels + kBiasBytes);
  uploaded.clear();
  const Answer quantized = Run(Network().Load(), GPU);
  // Where a zero point is subtracted, the convolution takes floats.
  if (!has_snorm_) {
    return ExpectKernel(quantized, "fully_connected", "i8 with a zero point,");
  }
  ExpectKernel(quantized, "conv2d", "i8,");
  ExpectKernel(quantized, "fully_connected", "i8,");
  EXPECT_EQ(quantized.device_bytes, 4 * kPixels + kBiasBytes + kScaleBytes);
  EXPECT_LT(quantized.device_bytes, 0.51 * fp16.device_bytes);
  EXPECT_EQ(quantized.packed_bytes, 0);  // no floats in the host's memory
  EXPECT_EQ(uploaded[CL_SNORM_INT8], 2);
  EXPECT_EQ(uploaded[CL_HALF_FLOAT], 2);  // biases
  EXPECT_NE(quantized.json.find("\"kernel\": \"conv2d"), std::string::npos)
      << quantized.json;
  EXPECT_NE(quantized.json.find(", weights i8"), std::string::npos)
      << quantized.json;
}

TEST_F(GpuQuantizedWeights, GiveTheResultsOfFloats) {
  Network floats;
  floats.is_quantized = false;
  const Answer want = Run(floats.Load(), CPU);
  for (const bool snorm : {true, false}) {
    hidden = snorm ? std::set<cl_channel_type>()
                   : std::set<cl_channel_type>{CL_SNORM_INT8};
    const auto model = Network().Load();
    ExpectNear(Run(model, GPU, "fp32_fp32"), want, 1e-5f);
    ExpectNear(Run(model, GPU, "fp16_fp32"), want, 5e-3f);
  }
}

TEST_F(GpuQuantizedWeights, BeginAtTheLeastWhereTheDeviceHasNoSignedImages) {
  hidden = {CL_SNORM_INT8};
  const Answer answer = Run(Network().Load(), GPU);
  // It reads each quantized value once, so that bytes count.
  ExpectKernel(answer, "fully_connected", "i8 with a zero point,");
  // It multiplies each quantized value with 1024 pixels, in groups of four.
  ExpectKernel(answer, "conv2d", "f16 (subtracting the zero point would cost");
  EXPECT_EQ(uploaded[CL_UNORM_INT8], 1);
}

TEST_F(GpuQuantizedWeights, BecomeFloatsWithoutImagesOfInt8) {
  hidden = {CL_SNORM_INT8, CL_UNORM_INT8};
  const Answer answer = Run(Network().Load(), GPU);
  ExpectKernel(answer, "conv2d",
               "f16 (the device's images cannot hold these quantized values),");
  EXPECT_EQ(answer.device_bytes, 8 * kPixels + kBiasBytes);
  EXPECT_EQ(uploaded.size(), 1u);
}

// Pixels of -1 to 1 cannot tell -128 from -127.
TEST_F(GpuQuantizedWeights, OfTheLeastValueBeginThere) {
  Network network;
  network.matrix[5] = INT8_MIN;
  const Answer quantized = Run(network.Load(), GPU, "fp32_fp32");
  ExpectKernel(quantized, "fully_connected", "i8 with a zero point,");
  network.is_quantized = false;
  ExpectNear(quantized, Run(network.Load(), CPU), 1e-5f);
  hidden = {CL_UNORM_INT8};
  network.is_quantized = true;
  if (!has_snorm_) return;
  ExpectPlan(Run(network.Load(), GPU),
             "images cannot hold these quantized values");
}

// At the ends of the range and within it, beside values that have none.
TEST_F(GpuQuantizedWeights, MayHaveAZeroPoint) {
  for (const int32_t zero : {-128, 5, 127}) {
    SCOPED_TRACE(zero);
    Network network;
    network.matrix_zero = zero;
    uploaded.clear();
    const Answer quantized = Run(network.Load(), GPU, "fp32_fp32");
    ExpectKernel(quantized, "fully_connected", "i8 with a zero point,");
    EXPECT_GE(uploaded[CL_UNORM_INT8], 1);
    if (has_snorm_) ExpectKernel(quantized, "conv2d", "i8,");
    network.is_quantized = false;
    ExpectNear(quantized, Run(network.Load(), CPU), 1e-5f);
  }
}

TEST_F(GpuQuantizedWeights, AreSharedByEngines) {
  const auto model = Network().Load();
  MaceEngineConfig config(GPU);
  std::shared_ptr<MaceEngine> first, second;
  ASSERT_TRUE(MaceEngine::Create(model, {}, {}, config, &first).ok());
  const auto after_first = uploaded;
  ASSERT_TRUE(MaceEngine::Create(model, {}, {}, config, &second).ok());
  EXPECT_EQ(uploaded, after_first);
}

}  // namespace
}  // namespace mace::testing
