// A driver that fails: each entry point of OpenCL returns an error, at the
// first call and at a later one. Engines then run on the CPU or return a
// status, nothing leaks, and the next engine works.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mace/opencl/driver/cl_api.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using opencl::ClApi;

// What is to fail: call number `call` and all later ones of an entry point.
struct Fault {
  std::string entry;
  int call = 0;
  cl_int code = CL_SUCCESS;
};
Fault fault;
std::map<std::string, int>& Calls() {
  static auto* calls = new std::map<std::string, int>;
  return *calls;
}
std::mutex& CallsMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::atomic<int> live_objects{0};

const Shape kShape = {1, 64, 64, 16};

// Counts the call; whether it is to fail.
bool Fails(const char* entry) {
  std::lock_guard<std::mutex> lock(CallsMutex());
  const int call = Calls()[entry]++;
  return fault.entry == entry && call >= fault.call;
}

bool StartsWith(const char* name, const char* prefix) {
  return std::string(name).rfind(prefix, 0) == 0;
}

// One stand-in per entry point; kIndex tells those of one signature apart.
template <int kIndex, typename F>
struct Shim;
template <int kIndex, typename R, typename... A>
struct Shim<kIndex, R(CL_API_CALL*)(A...)> {
  static inline const char* name = nullptr;
  static inline R(CL_API_CALL* real)(A...) = nullptr;

  static R CL_API_CALL Call(A... args) {
    const bool fails = Fails(name);
    if constexpr (std::is_same_v<R, cl_int>) {
      if (fails) return fault.code;
      if (StartsWith(name, "clRelease") && !StartsWith(name, "clReleaseEvent"))
        --live_objects;
      return real(args...);
    } else {
      cl_int* code = std::get<sizeof...(A) - 1>(std::tie(args...));
      if (fails) {
        if (code != nullptr) *code = fault.code;
        return nullptr;
      }
      R object = real(args...);
      if (object != nullptr && !StartsWith(name, "clEnqueueMap")) {
        ++live_objects;
      }
      return object;
    }
  }
};

template <int kIndex, typename F>
void Wrap(const char* name, F& slot) {
  using S = Shim<kIndex, F>;
  S::name = name;
  S::real = slot;
  slot = &S::Call;
}

// Every entry point whose failure an application can meet; releasing is not
// one.
std::vector<std::string> WrapAll(ClApi& api) {
  std::vector<std::string> names;
  for (const opencl::ClEntry& entry : opencl::Entries(api)) {
    if (!StartsWith(entry.name, "clRelease")) names.push_back(entry.name);
  }
  Wrap<0>("clGetPlatformIDs", api.clGetPlatformIDs);
  Wrap<1>("clGetPlatformInfo", api.clGetPlatformInfo);
  Wrap<2>("clGetDeviceIDs", api.clGetDeviceIDs);
  Wrap<3>("clGetDeviceInfo", api.clGetDeviceInfo);
  Wrap<4>("clCreateContext", api.clCreateContext);
  Wrap<5>("clReleaseContext", api.clReleaseContext);
  Wrap<6>("clCreateCommandQueue", api.clCreateCommandQueue);
  Wrap<7>("clReleaseCommandQueue", api.clReleaseCommandQueue);
  Wrap<8>("clCreateBuffer", api.clCreateBuffer);
  Wrap<9>("clCreateImage", api.clCreateImage);
  Wrap<10>("clReleaseMemObject", api.clReleaseMemObject);
  Wrap<11>("clCreateProgramWithSource", api.clCreateProgramWithSource);
  Wrap<12>("clCreateProgramWithBinary", api.clCreateProgramWithBinary);
  Wrap<13>("clBuildProgram", api.clBuildProgram);
  Wrap<14>("clGetProgramInfo", api.clGetProgramInfo);
  Wrap<15>("clGetProgramBuildInfo", api.clGetProgramBuildInfo);
  Wrap<16>("clReleaseProgram", api.clReleaseProgram);
  Wrap<17>("clCreateKernel", api.clCreateKernel);
  Wrap<18>("clReleaseKernel", api.clReleaseKernel);
  Wrap<19>("clSetKernelArg", api.clSetKernelArg);
  Wrap<20>("clGetKernelWorkGroupInfo", api.clGetKernelWorkGroupInfo);
  Wrap<21>("clEnqueueNDRangeKernel", api.clEnqueueNDRangeKernel);
  Wrap<22>("clEnqueueReadBuffer", api.clEnqueueReadBuffer);
  Wrap<23>("clEnqueueWriteBuffer", api.clEnqueueWriteBuffer);
  Wrap<24>("clFlush", api.clFlush);
  Wrap<25>("clFinish", api.clFinish);
  Wrap<26>("clWaitForEvents", api.clWaitForEvents);
  Wrap<27>("clGetEventProfilingInfo", api.clGetEventProfilingInfo);
  Wrap<28>("clReleaseEvent", api.clReleaseEvent);
  Wrap<29>("clRetainEvent", api.clRetainEvent);
  Wrap<30>("clGetMemObjectInfo", api.clGetMemObjectInfo);
  Wrap<31>("clGetImageInfo", api.clGetImageInfo);
  Wrap<32>("clEnqueueUnmapMemObject", api.clEnqueueUnmapMemObject);
  Wrap<33>("clEnqueueMapBuffer", api.clEnqueueMapBuffer);
  Wrap<34>("clGetSupportedImageFormats", api.clGetSupportedImageFormats);
  Wrap<35>("clGetContextInfo", api.clGetContextInfo);
  Wrap<36>("clRetainContext", api.clRetainContext);
  return names;
}

// Engines with a kept cache, so that only the first one compiles.
class GpuFault : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      FailOrSkipWithoutGpu(system.status().information());
      return;
    }
    api_ = **system;
    names_ = WrapAll(api_);
    opencl::SetClApiForTesting(&api_);
    fault = Fault();
    std::shared_ptr<MaceEngine> engine;
    ASSERT_TRUE(Create(&engine).ok());
    std::string plan;
    ASSERT_TRUE(engine->Dump("plan", &plan).ok());
    if (plan.find("no GPU") != std::string::npos) {
      FailOrSkipWithoutGpu(plan);
      return;
    }
    ASSERT_TRUE(IsOnGpu(*engine)) << plan;
    ASSERT_TRUE(Run(*engine, false).ok());
    ASSERT_TRUE(Run(*engine, true).ok());
    engine.reset();
    ASSERT_EQ(live_objects, 0);
  }
  void TearDown() override { opencl::SetClApiForTesting(nullptr); }

  MaceStatus Create(std::shared_ptr<MaceEngine>* engine) {
    ModelBuilder b;
    // Large enough to be worth moving to the GPU.
    b.Input("x", kShape)
        .Weight("w", {32, 16, 3, 3}, std::vector<float>(32 * 16 * 9, 0.5f))
        .Op("Conv2d", {"x", "w"}, {"c"}, {{"padding", int64_t{1}}})
        .Op("Activation", {"c"}, {"y"}, {{"activation", std::string("RELU")}})
        .Output("y");
    MaceEngineConfig config(GPU);
    const char* folder = std::getenv("TEST_TMPDIR");
    GPUContextBuilder gpu;
    gpu.SetStoragePath(folder == nullptr ? "/tmp" : folder);
    EXPECT_TRUE(config.SetGPUContext(gpu.Finalize()).ok());
    // A window makes more entry points of use.
    EXPECT_TRUE(config.SetGPULimits(0, 2).ok());
    return MaceEngine::Create(b.Load(), {}, {}, config, engine);
  }

  static bool IsOnGpu(const MaceEngine& engine) {
    std::string plan;
    EXPECT_TRUE(engine.Dump("plan", &plan).ok());
    return plan.find(" on GPU") != std::string::npos;
  }

  // With the right answer, or a status.
  static MaceStatus Run(MaceEngine& engine, bool measured) {
    std::map<std::string, MaceTensor> outputs;
    RunMetadata metadata;
    const MaceTensor x =
        FloatTensor(kShape, std::vector<float>(NumElements(kShape), 1));
    const MaceStatus status =
        engine.Run({{"x", x}}, &outputs, measured ? &metadata : nullptr);
    if (status.ok()) {
      // A corner sees 4 of 9 taps, the middle all, of 16 channels each. The CPU
      // may take Winograd's tiles.
      EXPECT_NEAR(Values(outputs["y"]).front(), 32, 72 * 5e-6);
      EXPECT_NEAR(Values(outputs["y"])[(1 * 64 + 1) * 32], 72, 72 * 5e-6);
    }
    return status;
  }

  void FailAt(const std::string& entry, int call, cl_int code) {
    SCOPED_TRACE(entry + " from call " + std::to_string(call) +
                 " on: " + opencl::ClErrorName(code));
    Calls().clear();
    fault = {entry, call, code};
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus created = Create(&engine);
    EXPECT_TRUE(created.ok()) << created.information();
    if (created.ok()) {
      for (bool measured : {false, true}) {
        const MaceStatus ran = Run(*engine, measured);
        EXPECT_TRUE(ran.ok() || !ran.information().empty());
      }
      // The driver is well again: so is this engine, wherever it runs.
      fault = Fault();
      const MaceStatus again = Run(*engine, false);
      EXPECT_TRUE(again.ok()) << again.information();
    }
    fault = Fault();
    engine.reset();
    EXPECT_EQ(live_objects, 0);
    ASSERT_TRUE(Create(&engine).ok());
    EXPECT_TRUE(IsOnGpu(*engine));
    EXPECT_TRUE(Run(*engine, false).ok());
  }

  ClApi api_;
  std::vector<std::string> names_;
};

TEST_F(GpuFault, EveryEntryPointAtTheFirstCall) {
  for (const std::string& name : names_) {
    FailAt(name, 0, CL_OUT_OF_RESOURCES);
  }
}

TEST_F(GpuFault, EveryEntryPointAtALaterCall) {
  for (const std::string& name : names_) {
    FailAt(name, 2, CL_OUT_OF_HOST_MEMORY);
  }
}

TEST_F(GpuFault, EveryCode) {
  for (const char* name : {"clCreateContext", "clCreateImage", "clBuildProgram",
                           "clEnqueueNDRangeKernel", "clEnqueueReadBuffer"}) {
    for (cl_int code :
         {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_DEVICE_NOT_AVAILABLE,
          CL_BUILD_PROGRAM_FAILURE, CL_INVALID_VALUE, -9999}) {
      FailAt(name, 1, code);
    }
  }
}

}  // namespace
}  // namespace mace::testing
