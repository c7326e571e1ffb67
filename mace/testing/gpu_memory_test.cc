// Inputs and outputs in the caller's images and buffers on the GPU, and host
// memory that the GPU shares.
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/opencl/driver/cl_api.h"
#include "mace/opencl/launch/image_layout.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Tensors = std::map<std::string, MaceTensor>;

const Shape kIn = {1, 64, 64, 18}, kOut = {1, 64, 64, 33};

std::vector<float> Random(int64_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& v : values) v = static_cast<float>(rng() >> 8) / (1 << 24) - 0.5f;
  return values;
}

class GpuMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    api_ = *system;
    engine_ = Create(GPU, 33);
    const MaceStatus status = engine_->GetGPUHandles(&handles_);
    if (!status.ok()) return FailOrSkipWithoutGpu(status.information());
    input_ = Random(NumElements(kIn), 3);
    Tensors outputs;
    const MaceStatus ran =
        engine_->Run({{"x", FloatTensor(kIn, input_)}}, &outputs);
    ASSERT_TRUE(ran.ok()) << ran.information();
    expected_ = Values(outputs["y"]);
  }

  // A convolution; on the GPU if it is worth it.
  static std::shared_ptr<MaceEngine> Create(DeviceType device,
                                            int64_t channels) {
    ModelBuilder b;
    b.Input("x", kIn)
        .Weight("w", {channels, 18, 3, 3}, Random(channels * 18 * 9, 1))
        .Op("Conv2d", {"x", "w"}, {"y"}, {{"padding", int64_t{1}}})
        .Output("y");
    MaceEngineConfig config(device);
    EXPECT_TRUE(config.SetGPUDataType("fp32_fp32").ok());
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(b.Load(), {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    return engine;
  }

  std::shared_ptr<void> Owned(cl_mem memory, cl_int code) const {
    EXPECT_EQ(code, CL_SUCCESS) << opencl::ClErrorName(code);
    return {memory, [api = api_](void* m) {
              if (m != nullptr) api->clReleaseMemObject(static_cast<cl_mem>(m));
            }};
  }

  std::shared_ptr<void> MakeBuffer(size_t floats, const float* contents,
                                   cl_mem_flags flags = CL_MEM_READ_WRITE,
                                   void* context = nullptr) const {
    cl_int code = CL_SUCCESS;
    const auto in =
        static_cast<cl_context>(context ? context : handles_.context);
    return Owned(
        api_->clCreateBuffer(in, flags | (contents ? CL_MEM_COPY_HOST_PTR : 0),
                             floats * sizeof(float),
                             const_cast<float*>(contents), &code),
        code);
  }

  std::shared_ptr<void> MakeImage(
      size_t width, size_t height, const float* contents,
      cl_channel_order order = CL_RGBA, cl_channel_type type = CL_FLOAT,
      cl_mem_flags flags = CL_MEM_READ_WRITE) const {
    const cl_image_format format = {order, type};
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    cl_int code = CL_SUCCESS;
    return Owned(api_->clCreateImage(
                     static_cast<cl_context>(handles_.context),
                     flags | (contents ? CL_MEM_COPY_HOST_PTR : 0), &format,
                     &desc, const_cast<float*>(contents), &code),
                 code);
  }

  // Pixels of an image of that width, channel-major.
  static std::vector<float> Arrange(const Shape& shape, size_t width,
                                    const std::vector<float>& values) {
    std::vector<float> pixels(width * 4 * static_cast<size_t>(shape[1]));
    ForEach(shape, width, [&](size_t element, size_t component) {
      pixels[component] = values[element];
    });
    return pixels;
  }

  template <typename Visit>
  static void ForEach(const Shape& shape, size_t width, Visit visit) {
    const opencl::Extents4 e = opencl::AsNhwc(shape);
    size_t element = 0;
    opencl::Extents4 at = {};
    for (at[1] = 0; at[1] < e[1]; ++at[1]) {
      for (at[2] = 0; at[2] < e[2]; ++at[2]) {
        for (at[3] = 0; at[3] < e[3]; ++at[3]) {
          const auto p =
              opencl::PixelOf(opencl::ImageLayout::kChannelMajor, e, at);
          visit(element++,
                (static_cast<size_t>(p.y) * width + static_cast<size_t>(p.x)) *
                        4 +
                    static_cast<size_t>(p.component));
        }
      }
    }
  }

  cl_command_queue Queue() {
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = api_->clCreateCommandQueue(
        static_cast<cl_context>(handles_.context),
        static_cast<cl_device_id>(handles_.device), 0, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return queue;
  }

  std::vector<float> ReadBuffer(const std::shared_ptr<void>& memory,
                                size_t floats) {
    std::vector<float> values(floats);
    cl_command_queue queue = Queue();
    EXPECT_EQ(api_->clEnqueueReadBuffer(
                  queue, static_cast<cl_mem>(memory.get()), CL_TRUE, 0,
                  floats * sizeof(float), values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    api_->clReleaseCommandQueue(queue);
    return values;
  }

  // The tensor of kOut in a float image.
  std::vector<float> ReadImage(const std::shared_ptr<void>& memory,
                               size_t width) {
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr);
    const auto read = reinterpret_cast<decltype(&::clEnqueueReadImage)>(
        dlsym(library, "clEnqueueReadImage"));
    const size_t height = static_cast<size_t>(kOut[1]);
    std::vector<float> pixels(width * height * 4);
    const size_t origin[] = {0, 0, 0}, region[] = {width, height, 1};
    cl_command_queue queue = Queue();
    EXPECT_EQ(read(queue, static_cast<cl_mem>(memory.get()), CL_TRUE, origin,
                   region, 0, 0, pixels.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    api_->clReleaseCommandQueue(queue);
    std::vector<float> values(static_cast<size_t>(NumElements(kOut)));
    ForEach(kOut, width, [&](size_t element, size_t component) {
      values[element] = pixels[component];
    });
    return values;
  }

  MaceTensor InputImage(size_t width = kInWidth) const {
    return MaceTensor(kIn,
                      MakeImage(width, 64, Arrange(kIn, width, input_).data()),
                      MemoryType::GPU_IMAGE);
  }

  MaceDeviceCounts Counts() const {
    MaceDeviceCounts counts;
    EXPECT_TRUE(engine_->GetDeviceCounts(&counts).ok());
    return counts;
  }

  void ExpectHostStillWorks() {
    Tensors outputs;
    const MaceStatus status =
        engine_->Run({{"x", FloatTensor(kIn, input_)}}, &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(Values(outputs["y"]), expected_);
  }

  void ExpectRefused(const Tensors& inputs, Tensors outputs,
                     const std::string& text) {
    SCOPED_TRACE(text);
    const MaceStatus status = engine_->Run(inputs, &outputs);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.information().find(text), std::string::npos)
        << status.information();
    ExpectHostStillWorks();
  }

  static constexpr size_t kInWidth = 64 * 5, kOutWidth = 64 * 9;
  const opencl::ClApi* api_ = nullptr;
  std::shared_ptr<MaceEngine> engine_;
  MaceGPUHandles handles_;
  std::vector<float> input_, expected_;
};

TEST_F(GpuMemory, ImagesAreUsedAsTheyAre) {
  const MaceDeviceCounts before = Counts();
  for (const size_t margin : {0, 7}) {
    const auto y = MakeImage(kOutWidth + margin, 64, nullptr);
    Tensors outputs = {{"y", MaceTensor(kOut, y, MemoryType::GPU_IMAGE)}};
    const MaceStatus status =
        engine_->Run({{"x", InputImage(kInWidth + margin)}}, &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(ReadImage(y, kOutWidth + margin), expected_);
  }
  // Nothing was moved: the convolution ran alone, twice.
  const MaceDeviceCounts after = Counts();
  EXPECT_EQ(after.kernels - before.kernels, 2);
  EXPECT_EQ(after.bytes_from_host, before.bytes_from_host);
  EXPECT_EQ(after.bytes_to_host, before.bytes_to_host);
  ExpectHostStillWorks();
}

TEST_F(GpuMemory, ImagesOfFp16ServeToo) {
  const auto y = MakeImage(kOutWidth, 64, nullptr, CL_RGBA, CL_HALF_FLOAT);
  Tensors outputs = {{"y", MaceTensor(kOut, y, MemoryType::GPU_IMAGE)}};
  RunMetadata metadata;
  const MaceStatus status =
      engine_->Run({{"x", InputImage()}}, &outputs, &metadata);
  ASSERT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(metadata.op_stats.size(), 3u);
}

TEST_F(GpuMemory, BuffersAreUsedAsTheyAre) {
  const MaceDeviceCounts before = Counts();
  const auto y = MakeBuffer(expected_.size(), nullptr);
  Tensors outputs = {{"y", MaceTensor(kOut, y, MemoryType::GPU_BUFFER)}};
  const Tensors inputs = {
      {"x", MaceTensor(kIn, MakeBuffer(input_.size(), input_.data()),
                       MemoryType::GPU_BUFFER)}};
  const MaceStatus status = engine_->Run(inputs, &outputs);
  ASSERT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(ReadBuffer(y, expected_.size()), expected_);
  const MaceDeviceCounts after = Counts();
  EXPECT_EQ(after.bytes_from_host, before.bytes_from_host);
  EXPECT_EQ(after.bytes_to_host, before.bytes_to_host);
  ExpectHostStillWorks();
}

TEST_F(GpuMemory, KindsOfMemoryMix) {
  Tensors outputs;
  MaceStatus status = engine_->Run({{"x", InputImage()}}, &outputs);
  ASSERT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(Values(outputs["y"]), expected_);
  const auto y = MakeImage(kOutWidth, 64, nullptr);
  outputs = {{"y", MaceTensor(kOut, y, MemoryType::GPU_IMAGE)}};
  status = engine_->Run({{"x", FloatTensor(kIn, input_)}}, &outputs);
  ASSERT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(ReadImage(y, kOutWidth), expected_);
  ExpectHostStillWorks();
}

// The images of the plan are others then; those of the caller stay.
TEST_F(GpuMemory, AfterTheMemoryWasReleased) {
  const auto y = MakeImage(kOutWidth, 64, nullptr);
  for (int round = 0; round < 2; ++round) {
    Tensors outputs = {{"y", MaceTensor(kOut, y, MemoryType::GPU_IMAGE)}};
    MaceStatus status = engine_->Run({{"x", InputImage()}}, &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(ReadImage(y, kOutWidth), expected_);
    ASSERT_TRUE(engine_->ReleaseIntermediateBuffer().ok());
    if (round == 0) ExpectHostStillWorks();
    status = engine_->Run({{"x", FloatTensor(kIn, input_)}}, &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(ReadImage(y, kOutWidth), expected_);
  }
}

TEST_F(GpuMemory, RefusesInputsThatDoNotFit) {
  const auto refused = [&](std::shared_ptr<void> memory, MemoryType type,
                           const std::string& text) {
    ExpectRefused({{"x", MaceTensor(kIn, std::move(memory), type)}}, {}, text);
  };
  refused(MakeImage(kInWidth - 1, 64, nullptr), MemoryType::GPU_IMAGE,
          "needs 320x64 pixels");
  refused(MakeImage(kInWidth, 63, nullptr), MemoryType::GPU_IMAGE,
          "the image has 320x63 pixels");
  refused(MakeImage(kInWidth, 64, nullptr, CL_R), MemoryType::GPU_IMAGE,
          "must be CL_RGBA");
  refused(MakeImage(kInWidth, 64, nullptr, CL_RGBA, CL_UNORM_INT8),
          MemoryType::GPU_IMAGE, "must be CL_RGBA");
  refused(MakeBuffer(input_.size(), nullptr), MemoryType::GPU_IMAGE,
          "no 2-D image");
  refused(MakeImage(kInWidth, 64, nullptr), MemoryType::GPU_BUFFER,
          "no buffer");
  refused(MakeBuffer(input_.size() - 1, nullptr), MemoryType::GPU_BUFFER,
          "the buffer has");
  refused(MakeBuffer(input_.size(), nullptr, CL_MEM_WRITE_ONLY),
          MemoryType::GPU_BUFFER, "CL_MEM_WRITE_ONLY");
  refused(nullptr, MemoryType::GPU_IMAGE, "'x' has no data");
  refused(MakeBuffer(input_.size(), nullptr), static_cast<MemoryType>(9),
          "no memory type 9");
}

TEST_F(GpuMemory, RefusesOutputsThatDoNotFit) {
  const Tensors inputs = {{"x", FloatTensor(kIn, input_)}};
  ExpectRefused(inputs,
                {{"y", MaceTensor(kOut, MakeImage(kOutWidth, 32, nullptr),
                                  MemoryType::GPU_IMAGE)}},
                "output 'y' in GPU memory: the image has 576x32 pixels");
  ExpectRefused(
      inputs,
      {{"y", MaceTensor(kOut,
                        MakeBuffer(expected_.size(), nullptr, CL_MEM_READ_ONLY),
                        MemoryType::GPU_BUFFER)}},
      "CL_MEM_READ_ONLY");
  ExpectRefused(
      inputs,
      {{"y", MaceTensor(kOut, std::shared_ptr<void>(), MemoryType::GPU_IMAGE)}},
      "the cl_mem is null");
}

TEST_F(GpuMemory, RefusesMemoryOfAnotherContext) {
  cl_int code = CL_SUCCESS;
  const auto device = static_cast<cl_device_id>(handles_.device);
  cl_context other =
      api_->clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ExpectRefused({{"x", MaceTensor(kIn,
                                  MakeBuffer(input_.size(), nullptr,
                                             CL_MEM_READ_WRITE, other),
                                  MemoryType::GPU_BUFFER)}},
                {}, "another OpenCL context");
  api_->clReleaseContext(other);
}

TEST_F(GpuMemory, IsRefusedWhereNothingRunsOnTheGpu) {
  const auto cpu = Create(CPU, 1);
  MaceGPUHandles handles;
  EXPECT_EQ(cpu->GetGPUHandles(&handles), MaceStatus::MACE_UNSUPPORTED);
  EXPECT_FALSE(engine_->GetGPUHandles(nullptr).ok());
  Tensors outputs;
  const MaceStatus status = cpu->Run({{"x", InputImage()}}, &outputs);
  EXPECT_EQ(status, MaceStatus::MACE_UNSUPPORTED);
  EXPECT_NE(status.information().find("nothing runs on the GPU"),
            std::string::npos)
      << status.information();
}

TEST_F(GpuMemory, SharesAlignedHostMemoryWhereTheDeviceDoes) {
  cl_bool unified = CL_FALSE;
  ASSERT_EQ(api_->clGetDeviceInfo(static_cast<cl_device_id>(handles_.device),
                                  CL_DEVICE_HOST_UNIFIED_MEMORY,
                                  sizeof(unified), &unified, nullptr),
            CL_SUCCESS);
  // One float more, so that the tensor may begin at a line or beyond.
  const size_t bytes = (input_.size() * sizeof(float) + 127) / 64 * 64;
  std::shared_ptr<float> memory(
      static_cast<float*>(std::aligned_alloc(64, bytes)), std::free);
  for (const size_t begin : {0, 1}) {
    float* const first = memory.get() + begin;
    std::copy(input_.begin(), input_.end(), first);
    const MaceDeviceCounts before = Counts();
    Tensors outputs;  // the engine's own, which are aligned
    const MaceTensor x(kIn, std::shared_ptr<float>(memory, first));
    const MaceStatus status = engine_->Run({{"x", x}}, &outputs);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(Values(outputs["y"]), expected_);
    const MaceDeviceCounts after = Counts();
    EXPECT_EQ(after.bytes_from_host == before.bytes_from_host,
              unified && begin == 0);
    EXPECT_EQ(after.bytes_to_host == before.bytes_to_host, unified);
  }
}

}  // namespace
}  // namespace mace::testing
