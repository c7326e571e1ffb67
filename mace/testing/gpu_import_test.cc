// Inputs and outputs in memory that other parts of the system made, and the
// app's own OpenCL context. Drivers that import are fakes over the system's: a
// file in memory stands for a dma-buf, and a struct for an AHardwareBuffer.
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/opencl/driver/import_memory.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Tensors = std::map<std::string, MaceTensor>;
using opencl::ClApi;

const Shape kIn = {1, 64, 64, 18}, kOut = {1, 64, 64, 33};
constexpr char kArm[] = "cl_arm_import_memory";
constexpr char kQualcommFile[] = "cl_qcom_dmabuf_host_ptr";
constexpr char kQualcommBuffer[] = "cl_qcom_android_ahardwarebuffer_host_ptr";
constexpr cl_mem_flags kHostPtr =
    CL_MEM_USE_HOST_PTR | CL_MEM_EXT_HOST_PTR_QCOM;

// What stands for an AHardwareBuffer.
struct HardwareBuffer {
  void* data;
  size_t bytes;
};

// What the fake driver has and did.
struct Fake {
  ClApi real = {};
  std::string extensions;
  bool has_function = true;
  cl_int code = CL_SUCCESS;  // of importing
  int imports = 0;
};
Fake fake;

cl_int CL_API_CALL GetDeviceInfo(cl_device_id device, cl_device_info what,
                                 size_t size, void* value, size_t* needed) {
  if (what != CL_DEVICE_EXTENSIONS) {
    return fake.real.clGetDeviceInfo(device, what, size, value, needed);
  }
  const std::string text = "cl_khr_fp16 " + fake.extensions;
  if (needed != nullptr) *needed = text.size() + 1;
  if (value == nullptr) return CL_SUCCESS;
  if (size < text.size() + 1) return CL_INVALID_VALUE;
  std::copy_n(text.c_str(), text.size() + 1, static_cast<char*>(value));
  return CL_SUCCESS;
}

cl_mem Imported(cl_context context, void* data, size_t bytes, cl_int* code) {
  ++fake.imports;
  *code = fake.code;
  if (fake.code != CL_SUCCESS) return nullptr;
  return fake.real.clCreateBuffer(
      context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data, code);
}

// As the text of cl_arm_import_memory has it. Mappings are left to the end.
cl_mem CL_API_CALL ImportMemoryArm(cl_context context, cl_mem_flags flags,
                                   const cl_import_properties_arm* properties,
                                   void* memory, size_t size, cl_int* code) {
  EXPECT_EQ(flags, cl_mem_flags{CL_MEM_READ_WRITE});
  EXPECT_EQ(properties[0], CL_IMPORT_TYPE_ARM);
  EXPECT_EQ(properties[2], 0);
  if (properties[1] == CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM) {
    EXPECT_EQ(size, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM);
    const auto* buffer = static_cast<HardwareBuffer*>(memory);
    return Imported(context, buffer->data, buffer->bytes, code);
  }
  EXPECT_EQ(properties[1], CL_IMPORT_TYPE_DMA_BUF_ARM);
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                          *static_cast<int*>(memory), 0);
  EXPECT_NE(data, MAP_FAILED);
  return Imported(context, data, size, code);
}

void* CL_API_CALL FunctionAddress(cl_platform_id platform, const char* name) {
  EXPECT_NE(platform, nullptr);
  EXPECT_STREQ(name, "clImportMemoryARM");
  return fake.has_function ? reinterpret_cast<void*>(&ImportMemoryArm)
                           : nullptr;
}

// As Qualcomm's header has them.
struct HostPtr {
  cl_uint type, cache_policy;
  union {
    int file;
    HardwareBuffer* buffer;
  };
  void* mapped;
};

cl_mem CL_API_CALL CreateBuffer(cl_context context, cl_mem_flags flags,
                                size_t bytes, void* data, cl_int* code) {
  if ((flags & CL_MEM_EXT_HOST_PTR_QCOM) == 0) {
    return fake.real.clCreateBuffer(context, flags, bytes, data, code);
  }
  EXPECT_EQ(flags & kHostPtr, kHostPtr);
  const auto* from = static_cast<HostPtr*>(data);
  EXPECT_EQ(from->cache_policy, cl_uint{CL_MEM_HOST_WRITEBACK_QCOM});
  const bool is_file = from->type == 0x411D;
  EXPECT_TRUE(is_file || from->type == 0x4119) << from->type;
  return Imported(context, is_file ? from->mapped : from->buffer->data, bytes,
                  code);
}

// A file in memory, as long as the object.
class File {
 public:
  explicit File(size_t floats)
      : bytes_(floats * sizeof(float)), file_(memfd_create("dma_buf", 0)) {
    EXPECT_EQ(ftruncate(file_, static_cast<off_t>(bytes_)), 0);
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    EXPECT_NE(data_, MAP_FAILED);
  }
  ~File() {
    munmap(data_, bytes_);
    close(file_);
  }
  int get() const { return file_; }
  float* data() const { return static_cast<float*>(data_); }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  int file_;
  void* data_ = nullptr;
};

class GpuImport : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    fake = Fake();
    fake.real = api_ = **system;
    api_.clGetDeviceInfo = &GetDeviceInfo;
    api_.clGetExtensionFunctionAddressForPlatform = &FunctionAddress;
    api_.clCreateBuffer = &CreateBuffer;
    opencl::SetClApiForTesting(&api_);
    SetLogCallback(
        [](MaceLogLevel, const char* message, void* user) {
          static_cast<std::string*>(user)->append(message).append("\n");
        },
        &log_);
    std::mt19937 rng(3);
    input_.resize(static_cast<size_t>(NumElements(kIn)));
    for (float& x : input_) x = static_cast<float>(rng() % 64) / 32 - 1;
  }
  void TearDown() override {
    opencl::SetClApiForTesting(nullptr);
    SetLogCallback(nullptr, nullptr);
  }

  MaceStatus Create(DeviceType device,
                    const std::shared_ptr<GPUContext>& context,
                    std::shared_ptr<MaceEngine>* engine) const {
    ModelBuilder b;
    std::vector<float> weights(33 * 18 * 9);
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(i % 17) / 16 - 0.5f;
    }
    b.Input("x", kIn)
        .Weight("w", {33, 18, 3, 3}, weights)
        .Op("Conv2d", {"x", "w"}, {"y"}, {{"padding", int64_t{1}}})
        .Output("y");
    MaceEngineConfig config(device);
    EXPECT_TRUE(config.SetGPUDataType("fp32_fp32").ok());
    if (context != nullptr) {
      EXPECT_TRUE(config.SetGPUContext(context).ok());
    }
    return MaceEngine::Create(b.Load(), {}, {}, config, engine);
  }

  std::shared_ptr<MaceEngine> Engine(const std::string& extensions,
                                     DeviceType device = GPU) {
    fake.extensions = extensions;
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = Create(device, nullptr, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    return engine;
  }

  // What the engine computes with memory of the host.
  std::vector<float> Expected(MaceEngine& engine) const {
    Tensors outputs;
    EXPECT_TRUE(engine.Run({{"x", FloatTensor(kIn, input_)}}, &outputs).ok());
    return Values(outputs["y"]);
  }

  // Runs with both tensors in such memory, twice, with other input each time.
  void ExpectRuns(MaceEngine& engine, const MaceTensor& x, float* in,
                  const MaceTensor& y, const float* out) {
    for (int round = 0; round < 2; ++round) {
      std::reverse(input_.begin(), input_.end());
      const std::vector<float> expected = Expected(engine);
      std::copy(input_.begin(), input_.end(), in);
      Tensors outputs = {{"y", y}};
      const MaceStatus status = engine.Run({{"x", x}}, &outputs);
      ASSERT_TRUE(status.ok()) << status.information();
      EXPECT_EQ(std::vector<float>(out, out + expected.size()), expected);
    }
  }

  static MaceExternalMemory DmaBuf(int file) {
    MaceExternalMemory memory;
    memory.dma_buf = file;
    return memory;
  }

  static size_t Floats(const Shape& shape) {
    return static_cast<size_t>(NumElements(shape));
  }

  ClApi api_ = {};
  std::string log_;
  std::vector<float> input_;
};

TEST_F(GpuImport, DmaBufsAreUsedAsTheyAre) {
  for (const char* extension :
       {kArm, "cl_arm_import_memory_dma_buf", kQualcommFile}) {
    SCOPED_TRACE(extension);
    const auto engine = Engine(extension);
    const File in(Floats(kIn)), out(Floats(kOut));
    MaceTensor x, y;
    fake.imports = 0;
    ASSERT_TRUE(engine->ImportMemory(DmaBuf(in.get()), kIn, &x).ok());
    ASSERT_TRUE(engine->ImportMemory(DmaBuf(out.get()), kOut, &y).ok());
    EXPECT_EQ(fake.imports, 2);
    EXPECT_EQ(x.memory_type(), MemoryType::GPU_BUFFER);
    ExpectRuns(*engine, x, in.data(), y, out.data());
    MaceDeviceCounts before, after;
    ASSERT_TRUE(engine->GetDeviceCounts(&before).ok());
    Tensors outputs = {{"y", y}};
    ASSERT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
    ASSERT_TRUE(engine->GetDeviceCounts(&after).ok());
    EXPECT_EQ(after.bytes_from_host, before.bytes_from_host);
    EXPECT_EQ(after.bytes_to_host, before.bytes_to_host);
    EXPECT_EQ(log_.find("dma-buf"), std::string::npos) << log_;
  }
}

TEST_F(GpuImport, HardwareBuffersAreUsedAsTheyAre) {
  for (const char* extension :
       {kArm, "cl_arm_import_memory_android_hardware_buffer",
        kQualcommBuffer}) {
    SCOPED_TRACE(extension);
    const auto engine = Engine(extension);
    const File in(Floats(kIn)), out(Floats(kOut));
    HardwareBuffer inputs = {in.data(), in.bytes()};
    HardwareBuffer outputs = {out.data(), out.bytes()};
    MaceExternalMemory memory;
    MaceTensor x, y;
    memory.hardware_buffer = &inputs;
    ASSERT_TRUE(engine->ImportMemory(memory, kIn, &x).ok());
    memory.hardware_buffer = &outputs;
    ASSERT_TRUE(engine->ImportMemory(memory, kOut, &y).ok());
    ExpectRuns(*engine, x, in.data(), y, out.data());
  }
}

TEST_F(GpuImport, ADmaBufIsMappedWhereItCannotBeImported) {
  for (const DeviceType device : {GPU, CPU}) {
    log_.clear();
    const auto engine = Engine("", device);
    const File out(Floats(kOut));
    MaceTensor x, y;
    {
      const File in(Floats(kIn));
      ASSERT_TRUE(engine->ImportMemory(DmaBuf(in.get()), kIn, &x).ok());
      ASSERT_TRUE(engine->ImportMemory(DmaBuf(out.get()), kOut, &y).ok());
      EXPECT_EQ(x.memory_type(), MemoryType::CPU_BUFFER);
      ExpectRuns(*engine, x, in.data(), y, out.data());
    }
    Tensors outputs = {{"y", y}};  // the descriptor is closed
    EXPECT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
    EXPECT_NE(log_.find("the dma-buf is mapped into the process, and copied"),
              std::string::npos);
    EXPECT_NE(log_.find(device == GPU
                            ? "has neither cl_arm_import_memory_dma_buf nor "
                              "cl_qcom_dmabuf_host_ptr"
                            : "nothing of this engine runs on the GPU"),
              std::string::npos)
        << log_;
  }
}

TEST_F(GpuImport, ADriverThatFailsIsNamed) {
  const auto engine = Engine(kArm);
  const File in(Floats(kIn));
  MaceTensor x;
  fake.code = CL_INVALID_OPERATION;
  ASSERT_TRUE(engine->ImportMemory(DmaBuf(in.get()), kIn, &x).ok());
  EXPECT_EQ(x.memory_type(), MemoryType::CPU_BUFFER);
  EXPECT_NE(log_.find("clImportMemoryARM: CL_INVALID_OPERATION (-59)"),
            std::string::npos)
      << log_;
  HardwareBuffer buffer = {in.data(), in.bytes()};
  MaceExternalMemory memory;
  memory.hardware_buffer = &buffer;
  for (const char* reason :
       {"clImportMemoryARM: CL_INVALID_OPERATION", "no clImportMemoryARM"}) {
    const MaceStatus status = engine->ImportMemory(memory, kIn, &x);
    EXPECT_EQ(status, MaceStatus::MACE_UNSUPPORTED);
    EXPECT_NE(status.information().find(reason), std::string::npos);
    EXPECT_NE(status.information().find("AHardwareBuffer_lock instead"),
              std::string::npos);
    fake.has_function = false;
  }
}

TEST_F(GpuImport, WhatCannotBeATensorIsRefused) {
  const auto engine = Engine(kArm);
  const File in(Floats(kIn)), small(Floats(kIn) - 1);
  const auto refused = [&](const MaceExternalMemory& memory, const Shape& shape,
                           const std::string& text) {
    MaceTensor x;
    const MaceStatus status = engine->ImportMemory(memory, shape, &x);
    EXPECT_EQ(status, MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find(text), std::string::npos)
        << status.information();
    EXPECT_EQ(x.raw_data(), nullptr);
  };
  MaceExternalMemory both = DmaBuf(in.get());
  both.hardware_buffer = &both;
  refused(both, kIn, "set either dma_buf or hardware_buffer");
  refused({}, kIn, "set either dma_buf or hardware_buffer");
  refused(DmaBuf(12345), kIn, "the dma-buf 12345 has no size: Bad file");
  refused(DmaBuf(small.get()), kIn, "294908 bytes, the tensor 294912");
  refused(DmaBuf(in.get()), {1, -1}, "a tensor of shape [1,-1] cannot be");
  refused(DmaBuf(in.get()), {0}, "a tensor of shape [0] cannot be");
  refused(DmaBuf(in.get()), {int64_t{1} << 62, 8}, "cannot be");
  const std::string path = "/proc/self/fd/" + std::to_string(in.get());
  const int read_only = open(path.c_str(), O_RDONLY);
  refused(DmaBuf(read_only), kIn, "open it for reading and writing");
  close(read_only);
  EXPECT_EQ(engine->ImportMemory(DmaBuf(in.get()), kIn, nullptr),
            MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(fake.imports, 0);
}

// The app's own context, of the device that engines take.
class GpuContextOfApp : public GpuImport {
 protected:
  void SetUp() override {
    GpuImport::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    MaceGPUHandles own;
    const MaceStatus status = Engine("")->GetGPUHandles(&own);
    if (!status.ok()) return FailOrSkipWithoutGpu(status.information());
    handles_.device = own.device;
    handles_.context = NewContext();
  }
  void TearDown() override {
    if (handles_.context != nullptr) Release(handles_.context);
    GpuImport::TearDown();
  }

  cl_context NewContext() const {
    const auto device = static_cast<cl_device_id>(handles_.device);
    cl_int code = CL_SUCCESS;
    cl_context made =
        api_.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }

  void Release(void* context) const {
    EXPECT_EQ(api_.clReleaseContext(static_cast<cl_context>(context)),
              CL_SUCCESS);
  }

  MaceStatus CreateWith(const MaceGPUHandles& handles,
                        std::shared_ptr<MaceEngine>* engine) const {
    GPUContextBuilder builder;
    builder.SetOpenCLContext(handles);
    return Create(GPU, builder.Finalize(), engine);
  }

  void ExpectRefused(const MaceGPUHandles& handles, const std::string& text) {
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status = CreateWith(handles, &engine);
    EXPECT_EQ(status, MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find(text), std::string::npos)
        << status.information();
  }

  MaceGPUHandles handles_;
};

TEST_F(GpuContextOfApp, EnginesUseIt) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status = CreateWith(handles_, &engine);
  ASSERT_TRUE(status.ok()) << status.information();
  MaceGPUHandles found;
  ASSERT_TRUE(engine->GetGPUHandles(&found).ok());
  EXPECT_EQ(found.context, handles_.context);
  EXPECT_EQ(found.device, handles_.device);
  EXPECT_EQ(Expected(*engine).size(), Floats(kOut));
  // Others share it, whether they name it or not.
  for (const bool names_it : {false, true}) {
    std::shared_ptr<MaceEngine> other;
    ASSERT_TRUE(
        (names_it ? CreateWith(handles_, &other) : Create(GPU, nullptr, &other))
            .ok());
    ASSERT_TRUE(other->GetGPUHandles(&found).ok());
    EXPECT_EQ(found.context, handles_.context);
  }
  // It is retained: the app may release it first.
  Release(handles_.context);
  handles_.context = nullptr;
  EXPECT_EQ(Expected(*engine).size(), Floats(kOut));
}

TEST_F(GpuContextOfApp, AnotherOneIsRefusedWhileEnginesLive) {
  std::shared_ptr<MaceEngine> engine;
  ASSERT_TRUE(Create(GPU, nullptr, &engine).ok());
  ExpectRefused(handles_, "create those of the app's context first");
  engine.reset();
  ASSERT_TRUE(CreateWith(handles_, &engine).ok());
  MaceGPUHandles second = handles_;
  second.context = NewContext();
  ExpectRefused(second, "there are engines with another one");
  engine.reset();
  EXPECT_TRUE(CreateWith(second, &engine).ok());
  engine.reset();
  Release(second.context);
}

TEST_F(GpuContextOfApp, WrongHandlesAreRefused) {
  ExpectRefused({handles_.context, nullptr}, "give both the cl_context and");
  ExpectRefused({nullptr, handles_.device}, "give both the cl_context and");
  ExpectRefused({handles_.context, &handles_},
                "is not one of the cl_device_id");
  api_.clGetContextInfo = [](cl_context, cl_context_info, size_t, void*,
                             size_t*) -> cl_int { return CL_INVALID_CONTEXT; };
  ExpectRefused(handles_, "does not know the cl_context: CL_INVALID_CONTEXT");
}

}  // namespace
}  // namespace mace::testing
