// Engines on the GPU that share their images, give them back, are cancelled,
// and are measured.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mace/opencl/driver/cl_api.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using opencl::ClApi;

// Stand-ins for entry points of the driver.
ClApi real;
std::atomic<int> num_enqueues{0}, num_waits{0};
std::atomic<bool> images_fail{false}, contexts_fail{false};
std::function<void()> at_enqueue;

cl_int CL_API_CALL Enqueue(cl_command_queue queue, cl_kernel kernel,
                           cl_uint dimensions, const size_t* offset,
                           const size_t* global, const size_t* local,
                           cl_uint num_events, const cl_event* events,
                           cl_event* event) {
  ++num_enqueues;
  if (at_enqueue) at_enqueue();
  return real.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                     local, num_events, events, event);
}
cl_int CL_API_CALL Wait(cl_uint num_events, const cl_event* events) {
  ++num_waits;
  return real.clWaitForEvents(num_events, events);
}
cl_mem CL_API_CALL CreateImage(cl_context context, cl_mem_flags flags,
                               const cl_image_format* format,
                               const cl_image_desc* desc, void* host,
                               cl_int* code) {
  if (!images_fail) {
    return real.clCreateImage(context, flags, format, desc, host, code);
  }
  if (code != nullptr) *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return nullptr;
}
cl_context CL_API_CALL CreateContext(
    const cl_context_properties* properties, cl_uint num_devices,
    const cl_device_id* devices,
    void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
    void* user, cl_int* code) {
  if (!contexts_fail) {
    return real.clCreateContext(properties, num_devices, devices, notify, user,
                                code);
  }
  if (code != nullptr) *code = CL_OUT_OF_RESOURCES;
  return nullptr;
}

// Convolutions with `channels` channels on `extent` x `extent` pixels, large
// enough for the GPU to pay. `on_cpu` adds ops that the GPU does not have.
struct Kind {
  int64_t extent, channels;
  int layers;
  bool on_cpu;
};
constexpr Kind kSmall = {48, 32, 3, false}, kLarge = {96, 32, 3, false},
               kMixed = {64, 32, 3, true}, kDeep = {48, 32, 24, false};

ModelBuilder Network(const Kind& kind) {
  const int64_t c = kind.channels;
  ModelBuilder b;
  b.Input("x", {1, kind.extent, kind.extent, c});
  std::string last = "x";
  for (int i = 0; i < kind.layers; ++i) {
    const std::string name = "c" + std::to_string(i);
    b.Weight("w" + name, {c, c, 3, 3}, SmallWeights(c * c * 9))
        .Op("Conv2d", {last, "w" + name}, {name},
            {{"padding", int64_t{1}}, {"activation", std::string("RELU")}});
    last = name;
  }
  if (kind.on_cpu) {
    b.Op("ArgMax", {last}, {"m"},
         {{"axis", int64_t{3}}, {"keepdims", int64_t{1}}})
        .Op("Cast", {"m"}, {"f"}, {{"to", std::string("f32")}})
        .Op("Softmax", {"f"}, {"s"});
    last = "s";
  }
  b.Op("Activation", {last}, {"y"}, {{"activation", std::string("RELU")}})
      .Output("y");
  return b;
}

class Tested {
 public:
  explicit Tested(const Kind& kind,
                  const MaceEngineConfig& config = MaceEngineConfig(GPU))
      : kind_(kind) {
    const MaceStatus status =
        MaceEngine::Create(Network(kind).Load(), {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
  }

  MaceStatus Run(std::vector<float>* values,
                 const MaceCancellation* cancellation = nullptr) const {
    const int64_t n = kind_.extent;
    std::map<std::string, MaceTensor> outputs;
    const std::map<std::string, MaceTensor> inputs = {
        {"x", FloatTensor({1, n, n, kind_.channels},
                          SmallWeights(n * n * kind_.channels))}};
    const MaceStatus status = cancellation != nullptr
                                  ? engine->Run(inputs, &outputs, *cancellation)
                                  : engine->Run(inputs, &outputs);
    if (status.ok()) *values = Values(outputs["y"]);
    return status;
  }
  std::vector<float> Run() const {
    std::vector<float> values;
    const MaceStatus status = Run(&values);
    EXPECT_TRUE(status.ok()) << status.information();
    return values;
  }
  // The bits of an engine with memory of its own.
  std::vector<float> Expected() const { return Tested(kind_).Run(); }

  MaceMemoryUsage Usage() const {
    MaceMemoryUsage usage;
    EXPECT_TRUE(engine->GetMemoryUsage(&usage).ok());
    return usage;
  }
  int64_t images() const { return Usage().allocated_image_bytes; }

  std::shared_ptr<MaceEngine> engine;

 private:
  Kind kind_;
};

MaceEngineConfig Sharing(const Tested& with, DeviceType device = GPU) {
  MaceEngineConfig config(device);
  const MaceStatus status = config.ShareMemoryWith(with.engine.get());
  EXPECT_TRUE(status.ok()) << status.information();
  return config;
}

class GpuSharedMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    opencl::SetClApiForTesting(nullptr);
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    real = api_ = **system;
    api_.clEnqueueNDRangeKernel = &Enqueue;
    api_.clWaitForEvents = &Wait;
    api_.clCreateImage = &CreateImage;
    api_.clCreateContext = &CreateContext;
    opencl::SetClApiForTesting(&api_);
    const Tested tested(kSmall);
    std::string plan;
    ASSERT_TRUE(tested.engine->Dump("plan", &plan).ok());
    if (plan.find("on GPU") == std::string::npos) FailOrSkipWithoutGpu(plan);
  }
  void TearDown() override {
    opencl::SetClApiForTesting(nullptr);
    images_fail = contexts_fail = false;
    at_enqueue = nullptr;
  }

  ClApi api_;
};

TEST_F(GpuSharedMemory, ReleasedImagesComeBack) {
  for (const Kind& kind : {kSmall, kMixed}) {
    const Tested tested(kind);
    const std::vector<float> expected = tested.Run();
    EXPECT_EQ(expected, tested.Expected());
    const MaceMemoryUsage before = tested.Usage();
    EXPECT_EQ(before.allocated_image_bytes, before.image_bytes);
    EXPECT_GT(before.allocated_image_bytes, 0);
    MaceDeviceCounts counts;
    ASSERT_TRUE(tested.engine->GetDeviceCounts(&counts).ok());
    const int64_t compiled = counts.compiled_programs;
    ASSERT_TRUE(tested.engine->ReleaseIntermediateBuffer().ok());
    const MaceMemoryUsage after = tested.Usage();
    EXPECT_EQ(after.allocated_image_bytes, 0);
    EXPECT_EQ(after.allocated_arena_bytes, 0);
    for (const MaceMemoryCategory& c : after.categories) {
      if (c.name == "images") {
        EXPECT_EQ(c.used_bytes, 0);
      }
    }
    EXPECT_EQ(tested.Run(), expected);
    EXPECT_EQ(tested.images(), before.allocated_image_bytes);
    ASSERT_TRUE(tested.engine->GetDeviceCounts(&counts).ok());
    EXPECT_EQ(counts.compiled_programs, compiled);
  }
}

TEST_F(GpuSharedMemory, ImagesAreTheLargestNotTheSum) {
  const int64_t small_bytes = Tested(kSmall).images();
  const int64_t large_bytes = Tested(kLarge).images();
  ASSERT_GT(large_bytes, 2 * small_bytes);
  for (const bool small_first : {true, false}) {
    const Tested first(small_first ? kSmall : kLarge);
    const Tested second(small_first ? kLarge : kSmall, Sharing(first));
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(first.Run(), first.Expected());
      EXPECT_EQ(second.Run(), second.Expected());
    }
    EXPECT_EQ(first.images(), large_bytes);
    EXPECT_EQ(second.images(), large_bytes);
  }
}

TEST_F(GpuSharedMemory, BesideTheCpu) {
  const Tested cpu(kLarge, MaceEngineConfig(CPU));
  const Tested mixed(kMixed, Sharing(cpu));
  const Tested gpu(kSmall, Sharing(cpu));
  const std::vector<float> of_the_cpu = cpu.Run();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(mixed.Run(), mixed.Expected());
    EXPECT_EQ(gpu.Run(), gpu.Expected());
    EXPECT_EQ(cpu.Run(), of_the_cpu);
  }
  EXPECT_EQ(cpu.images(), gpu.images());
  EXPECT_GT(cpu.Usage().allocated_arena_bytes, 0);
}

TEST_F(GpuSharedMemory, EnginesGoInAnyOrder) {
  for (const bool first_goes : {true, false}) {
    auto first = std::make_unique<Tested>(kLarge);
    auto second = std::make_unique<Tested>(kSmall, Sharing(*first));
    EXPECT_EQ(first->Run(), first->Expected());
    if (first_goes) std::swap(first, second);
    second.reset();
    EXPECT_EQ(first->Run(), first->Expected());
  }
}

TEST_F(GpuSharedMemory, RunsTakeTurns) {
  const Tested first(kSmall);
  const Tested second(kMixed, Sharing(first));
  const std::vector<float> expected[] = {first.Expected(), second.Expected()};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Tested& tested = t % 2 == 0 ? first : second;
      for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(tested.Run(), expected[t % 2]);
        if (i == 2) {
          EXPECT_TRUE(tested.engine->ReleaseIntermediateBuffer().ok());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(GpuSharedMemory, ImagesThatCannotBeAllocatedAgain) {
  const Tested first(kSmall);
  const Tested second(kSmall, Sharing(first));
  const std::vector<float> expected = first.Run();
  ASSERT_TRUE(second.engine->ReleaseIntermediateBuffer().ok());
  images_fail = true;
  std::vector<float> values;
  const MaceStatus status = first.Run(&values);
  EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES)
      << status.information();
  EXPECT_EQ(first.images(), 0);
  images_fail = false;
  EXPECT_EQ(first.Run(), expected);
  EXPECT_EQ(second.Run(), expected);
}

TEST_F(GpuSharedMemory, CancelledBetweenEnqueues) {
  const Tested tested(kDeep);
  const std::vector<float> expected = tested.Run();
  num_enqueues = 0;
  EXPECT_EQ(tested.Run(), expected);
  const int all = num_enqueues;
  ASSERT_GE(all, kDeep.layers);
  for (const int at : {1, all / 2, all}) {
    SCOPED_TRACE(at);
    MaceCancellation cancellation;
    num_enqueues = 0;
    at_enqueue = [&] {
      if (num_enqueues == at) cancellation.Cancel();
    };
    std::vector<float> values;
    EXPECT_EQ(tested.Run(&values, &cancellation), MaceStatus::MACE_CANCELLED);
    at_enqueue = nullptr;
    // Nothing was sent after it.
    EXPECT_EQ(num_enqueues, at);
    EXPECT_EQ(tested.Run(), expected);
  }
}

// A run that may be cancelled does not send all kernels ahead; another does.
TEST_F(GpuSharedMemory, FewKernelsAreAheadOfACancellation) {
  const Tested tested(kDeep);
  const std::vector<float> expected = tested.Run();
  num_waits = 0;
  EXPECT_EQ(tested.Run(), expected);
  EXPECT_EQ(num_waits, 0);
  const MaceCancellation cancellation;
  std::vector<float> values;
  ASSERT_TRUE(tested.Run(&values, &cancellation).ok());
  EXPECT_EQ(values, expected);
#ifdef NDEBUG  // otherwise the checks of each kernel wait for it anyway
  EXPECT_GE(num_waits, kDeep.layers - 16);
#endif
  num_waits = 0;
  EXPECT_EQ(tested.Run(), expected);
  EXPECT_EQ(num_waits, 0);
}

TEST_F(GpuSharedMemory, CancelledAtAnyMoment) {
  const Tested tested(kMixed);
  const std::vector<float> expected = tested.Run();
  for (int round = 0; round < 10; ++round) {
    MaceCancellation cancellation;
    std::thread canceller([&] {
      for (int i = 0; i < round * 50; ++i) std::this_thread::yield();
      cancellation.Cancel();
    });
    std::vector<float> values;
    const MaceStatus status = tested.Run(&values, &cancellation);
    canceller.join();
    if (status.ok()) {
      EXPECT_EQ(values, expected);
    } else {
      EXPECT_EQ(status.code(), MaceStatus::MACE_CANCELLED);
    }
    EXPECT_EQ(tested.Run(), expected);
  }
}

TEST_F(GpuSharedMemory, Capability) {
  const mace::Capability gpu = GetCapability(GPU);
  EXPECT_TRUE(gpu.supported);
  EXPECT_GT(gpu.float32_performance.exec_time, 0);
  EXPECT_TRUE(std::isfinite(gpu.float32_performance.exec_time));
  EXPECT_TRUE(std::isinf(gpu.quantized8_performance.exec_time));
  // It ran there.
  num_enqueues = 0;
  (void)GetCapability(GPU);
  EXPECT_GT(num_enqueues, 0);
  // A driver that fails at once, and one that fails later.
  contexts_fail = true;
  EXPECT_FALSE(GetCapability(GPU).supported);
  contexts_fail = false;
  images_fail = true;
  EXPECT_FALSE(GetCapability(GPU).supported);
  images_fail = false;
  EXPECT_TRUE(GetCapability(GPU).supported);
}

}  // namespace
}  // namespace mace::testing
