// Engines on the GPU: what they compile, enqueue, split, tune and keep, watched
// from between them and the driver.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "mace/opencl/opencl_device.h"
#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using opencl::ClApi;

const Shape kShape = {1, 64, 64, 16};

// What the functions below saw.
struct Watch {
  std::mutex mutex;
  int from_source = 0, from_binary = 0;
  size_t in_flight = 0, max_in_flight = 0;
  std::vector<size_t> items;               // of each command
  std::map<cl_event, size_t> event_items;  // those of its command
  double nanos_per_item = 0;               // 0: the driver's own times
};
Watch& watch() {
  static auto* watch = new Watch;
  return *watch;
}
ClApi real;

cl_program CL_API_CALL FromSource(cl_context context, cl_uint count,
                                  const char** texts, const size_t* sizes,
                                  cl_int* code) {
  std::lock_guard<std::mutex> lock(watch().mutex);
  ++watch().from_source;
  return real.clCreateProgramWithSource(context, count, texts, sizes, code);
}

cl_program CL_API_CALL FromBinary(cl_context context, cl_uint count,
                                  const cl_device_id* devices,
                                  const size_t* sizes,
                                  const unsigned char** binaries,
                                  cl_int* loaded, cl_int* code) {
  std::lock_guard<std::mutex> lock(watch().mutex);
  ++watch().from_binary;
  return real.clCreateProgramWithBinary(context, count, devices, sizes,
                                        binaries, loaded, code);
}

cl_int CL_API_CALL Enqueue(cl_command_queue queue, cl_kernel kernel,
                           cl_uint dims, const size_t* offset,
                           const size_t* global, const size_t* local,
                           cl_uint num_waits, const cl_event* waits,
                           cl_event* event) {
  const cl_int code = real.clEnqueueNDRangeKernel(
      queue, kernel, dims, offset, global, local, num_waits, waits, event);
  const size_t items = global[0] * global[1] * global[2];
  watch().items.push_back(items);
  if (event != nullptr) watch().event_items[*event] = items;
  watch().max_in_flight = std::max(watch().max_in_flight, ++watch().in_flight);
  return code;
}

// Waiting for one command of an in-order queue: it is the oldest here.
cl_int CL_API_CALL Wait(cl_uint count, const cl_event* events) {
  watch().in_flight -= count;
  return real.clWaitForEvents(count, events);
}

cl_int CL_API_CALL Read(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                        size_t offset, size_t size, void* to, cl_uint num_waits,
                        const cl_event* waits, cl_event* event) {
  watch().in_flight = 0;
  return real.clEnqueueReadBuffer(queue, buffer, blocks, offset, size, to,
                                  num_waits, waits, event);
}

cl_int CL_API_CALL Finish(cl_command_queue queue) {
  watch().in_flight = 0;
  return real.clFinish(queue);
}

cl_int CL_API_CALL TimeOf(cl_event event, cl_profiling_info what, size_t size,
                          void* value, size_t* used) {
  if (watch().nanos_per_item == 0) {
    return real.clGetEventProfilingInfo(event, what, size, value, used);
  }
  const bool at_end = what == CL_PROFILING_COMMAND_END;
  *static_cast<cl_ulong*>(value) = static_cast<cl_ulong>(
      at_end ? watch().nanos_per_item *
                   static_cast<double>(watch().event_items[event])
             : 0);
  return CL_SUCCESS;
}

std::string TemporaryFolder() {
  const char* folder = std::getenv("TEST_TMPDIR");
  std::string made =
      std::string(folder == nullptr ? "/tmp" : folder) + "/gpu_runtime.XXXXXX";
  EXPECT_NE(mkdtemp(made.data()), nullptr);
  return made;
}

std::vector<float> Random(int64_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& v : values) v = static_cast<float>(rng() >> 8) / (1 << 24) - 0.5f;
  return values;
}

class GpuRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    real = **system;
    api_ = real;
    api_.clCreateProgramWithSource = FromSource;
    api_.clCreateProgramWithBinary = FromBinary;
    api_.clEnqueueNDRangeKernel = Enqueue;
    api_.clWaitForEvents = Wait;
    api_.clEnqueueReadBuffer = Read;
    api_.clFinish = Finish;
    api_.clGetEventProfilingInfo = TimeOf;
    opencl::SetClApiForTesting(&api_);
    const auto runtime = opencl::ClRuntime::Shared({});
    if (!runtime.ok()) {
      return FailOrSkipWithoutGpu(runtime.status().information());
    }
    folder_ = TemporaryFolder();
    Forget();
  }
  void TearDown() override {
    Forget();
    opencl::SetClApiForTesting(nullptr);
  }

  static void Forget() {
    Watch& w = watch();
    w.from_source = w.from_binary = 0;
    w.in_flight = w.max_in_flight = 0;
    w.items.clear();
    w.event_items.clear();
    w.nanos_per_item = 0;
  }

  // A convolution, a depthwise one and a pooling, large enough to be worth
  // moving to the GPU; null if that fails.
  std::shared_ptr<MaceEngine> Create(const MaceEngineConfig& config) {
    ModelBuilder b;
    b.Input("x", kShape)
        .Weight("w", {32, 16, 3, 3}, Random(32 * 16 * 9, 1))
        .Weight("d", {1, 32, 3, 3}, Random(32 * 9, 2))
        .Op("Conv2d", {"x", "w"}, {"c"}, {{"padding", int64_t{1}}})
        .Op("DepthwiseConv2d", {"c", "d"}, {"e"}, {{"padding", int64_t{1}}})
        .Op("Activation", {"e"}, {"y"}, {{"activation", std::string("RELU")}})
        .Output("y");
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(b.Load(), {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    std::string plan;
    EXPECT_TRUE(engine->Dump("plan", &plan).ok());
    EXPECT_NE(plan.find(" on GPU"), std::string::npos) << plan;
    return engine;
  }

  MaceEngineConfig Config() const {
    MaceEngineConfig config(GPU);
    GPUContextBuilder gpu;
    gpu.SetStoragePath(folder_);
    EXPECT_TRUE(config.SetGPUContext(gpu.Finalize()).ok());
    return config;
  }

  static std::vector<float> Run(MaceEngine& engine) {
    std::map<std::string, MaceTensor> outputs;
    const MaceTensor x = FloatTensor(kShape, Random(NumElements(kShape), 3));
    const MaceStatus status = engine.Run({{"x", x}}, &outputs);
    EXPECT_TRUE(status.ok()) << status.information();
    return status.ok() ? Values(outputs["y"]) : std::vector<float>();
  }

  static MaceDeviceCounts Counts(const MaceEngine& engine) {
    MaceDeviceCounts counts;
    EXPECT_TRUE(engine.GetDeviceCounts(&counts).ok());
    return counts;
  }

  ClApi api_;
  std::string folder_;
};

TEST_F(GpuRuntime, NothingIsCompiledAfterCreation) {
  const auto engine = Create(Config());
  const MaceDeviceCounts created = Counts(*engine);
  EXPECT_GT(created.compiled_programs, 0);
  EXPECT_EQ(created.compiled_programs, watch().from_source);
  EXPECT_EQ(created.kernels, 0);
  Forget();
  Run(*engine);
  const MaceDeviceCounts first = Counts(*engine);
  Run(*engine);
  const MaceDeviceCounts second = Counts(*engine);
  EXPECT_EQ(watch().from_source + watch().from_binary, 0);
  EXPECT_EQ(second.compiled_programs, created.compiled_programs);
  EXPECT_EQ(second.loaded_programs, created.loaded_programs);
  // Every Run does the same: two moves, and the ops of the model.
  EXPECT_GE(first.kernels, 4);
  EXPECT_EQ(first.enqueues, first.kernels);
  EXPECT_EQ(second.kernels, 2 * first.kernels);
  EXPECT_EQ(second.enqueues, static_cast<int64_t>(watch().items.size()));
  EXPECT_EQ(first.measurements, 0);
}

TEST_F(GpuRuntime, AWarmCreationCompilesNothing) {
  Create(Config());
  const int compiled = watch().from_source;
  EXPECT_GT(compiled, 0);
  Forget();
  const auto engine = Create(Config());
  EXPECT_EQ(watch().from_source, 0);
  EXPECT_EQ(watch().from_binary, compiled);
  EXPECT_EQ(Counts(*engine).compiled_programs, 0);
  EXPECT_EQ(Counts(*engine).loaded_programs, compiled);
}

TEST_F(GpuRuntime, SplitKernelsKeepTheLimitAndTheResult) {
  const std::vector<float> expected = Run(*Create(Config()));
  Forget();
  constexpr double kNanos = 100;
  constexpr int kLimitMicros = 100;
  watch().nanos_per_item = kNanos;
  MaceEngineConfig config = Config();
  ASSERT_TRUE(config.SetGPULimits(kLimitMicros).ok());
  const auto engine = Create(config);
  EXPECT_GT(Counts(*engine).measurements, 0);
  const MaceDeviceCounts created = Counts(*engine);
  watch().items.clear();
  EXPECT_EQ(Run(*engine), expected);
  const size_t longest =
      *std::max_element(watch().items.begin(), watch().items.end());
  EXPECT_LE(static_cast<double>(longest) * kNanos, kLimitMicros * 1000.0);
  const MaceDeviceCounts ran = Counts(*engine);
  EXPECT_GT(ran.enqueues - created.enqueues, ran.kernels - created.kernels);

  // What was found is kept: nothing is measured again, and pieces are as
  // small.
  const size_t num_commands = watch().items.size();
  Forget();
  const auto again = Create(config);
  EXPECT_EQ(Counts(*again).measurements, 0);
  EXPECT_EQ(Run(*again), expected);
  EXPECT_EQ(watch().items.size(), num_commands);
  // Pieces are for those who ask.
  Forget();
  EXPECT_EQ(Run(*Create(Config())), expected);
  EXPECT_LT(watch().items.size(), num_commands);
}

TEST_F(GpuRuntime, AWindowBoundsWhatIsInFlight) {
  const std::vector<float> expected = Run(*Create(Config()));
  EXPECT_GT(watch().max_in_flight, 2u);
  MaceEngineConfig config = Config();
  ASSERT_TRUE(config.SetGPULimits(0, 2).ok());
  const auto engine = Create(config);
  for (int i = 0; i < 2; ++i) {
    Forget();
    EXPECT_EQ(Run(*engine), expected);
    EXPECT_EQ(watch().max_in_flight, 2u);
    // Events serve the window and the times.
    std::map<std::string, MaceTensor> outputs;
    RunMetadata metadata;
    const MaceTensor x = FloatTensor(kShape, Random(NumElements(kShape), 3));
    ASSERT_TRUE(engine->Run({{"x", x}}, &outputs, &metadata).ok());
    EXPECT_EQ(Values(outputs["y"]), expected);
  }
}

TEST_F(GpuRuntime, TunedEnginesGiveTheSameResult) {
  const std::vector<float> expected = Run(*Create(Config()));
  MaceEngineConfig config = Config();
  const std::string file = folder_ + "/tuned.bin";
  ASSERT_TRUE(config.SetTuning(500, file).ok());
  const auto engine = Create(config);
  EXPECT_GT(Counts(*engine).measurements, 0);
  EXPECT_EQ(Run(*engine), expected);
  std::string table;
  ASSERT_TRUE(engine->Dump("tuning", &table).ok());
  EXPECT_NE(table.find("tried"), std::string::npos) << table;
  // By the file alone.
  ASSERT_TRUE(config.SetTuning(0, file).ok());
  const auto warm = Create(config);
  EXPECT_EQ(Counts(*warm).measurements, 0);
  EXPECT_EQ(Run(*warm), expected);
  ASSERT_TRUE(warm->Dump("tuning", &table).ok());
  EXPECT_NE(table.find(" us"), std::string::npos) << table;
}

TEST_F(GpuRuntime, DamagedTuningResultsAreIgnored) {
  watch().nanos_per_item = 10;
  MaceEngineConfig config = Config();
  const std::string file = folder_ + "/tuned.bin";
  ASSERT_TRUE(config.SetGPULimits(50).ok());
  ASSERT_TRUE(config.SetTuning(0, file).ok());
  EXPECT_GT(Counts(*Create(config)).measurements, 0);
  EXPECT_EQ(Counts(*Create(config)).measurements, 0);
  std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
  damage.seekp(100);
  damage.put('!');
  damage.close();
  EXPECT_GT(Counts(*Create(config)).measurements, 0);
  EXPECT_EQ(Counts(*Create(config)).measurements, 0);
}

TEST_F(GpuRuntime, AFileThatCannotBeWrittenCostsOnlyTheKeeping) {
  watch().nanos_per_item = 10;
  MaceEngineConfig config = Config();
  ASSERT_TRUE(config.SetGPULimits(50).ok());
  ASSERT_TRUE(config.SetTuning(0, folder_ + "/no/such/folder/tuned.bin").ok());
  EXPECT_GT(Counts(*Create(config)).measurements, 0);
  EXPECT_FALSE(Run(*Create(config)).empty());
}

TEST_F(GpuRuntime, RefusesLimitsBelowZero) {
  MaceEngineConfig config(GPU);
  EXPECT_FALSE(config.SetGPULimits(-1).ok());
  EXPECT_FALSE(config.SetGPULimits(0, -1).ok());
  EXPECT_FALSE(config.SetGPULimits(0, 1 << 20).ok());
  EXPECT_FALSE(config.SetTuning(-1).ok());
}

// An activation on the device, tuned; how many runs that took.
int64_t RunsToTune(OpenclOptions options) {
  auto device =
      OpenclDevice::Create(std::move(options), opencl::ContextOptions());
  EXPECT_TRUE(device.ok()) << device.status().information();
  if (!device.ok()) return -1;
  Node node;
  node.name = "test";
  node.op = "Activation";
  node.attrs["activation"] = std::string("RELU");
  TensorType type;
  type.dtype = DataType::kF32;
  type.shape = {1, 8, 8, 4};
  node.inputs.push_back({type, nullptr, -1});
  node.outputs.push_back(type);
  auto kernel = (*device)->Prepare(node);
  EXPECT_TRUE(kernel.ok()) << kernel.status().information();
  EXPECT_TRUE((*device)->FinishPrepare().ok());
  const ImageType image = {*(*device)->ImageExtentOf(type),
                           (*device)->image_dtype()};
  auto images = (*device)->CreateImages({image, image});
  if (!kernel.ok() || !images.ok()) return -1;
  RunArgs args;
  args.inputs.push_back((*images)->at(0));
  args.outputs.push_back((*images)->at(1));
  EXPECT_TRUE((*device)->Tune({{kernel->get(), &args}}).ok());
  return (*device)->counts().measurements;
}

// By a clock that says one millisecond more each time it is asked.
TEST_F(GpuRuntime, TuningKeepsItsBudget) {
  for (const int64_t budget_ms : {0, 5, 20}) {
    SCOPED_TRACE(budget_ms);
    int64_t asked = 0;
    OpenclOptions options;
    options.tuner.budget_micros = budget_ms * 1000;
    options.tuner.now_micros = [&asked] { return 1000 * asked++; };
    const int64_t runs = RunsToTune(std::move(options));
    EXPECT_EQ(runs > 0, budget_ms > 0);
    EXPECT_LE(runs, 2 * budget_ms);
  }
}

TEST_F(GpuRuntime, TunesOnce) {
  const auto tune = [&] {
    OpenclOptions options;
    options.tuner.budget_micros = int64_t{1} << 40;
    options.storage = FileStorageFactory(folder_ + "/").CreateStorage("kept");
    return RunsToTune(std::move(options));
  };
  EXPECT_GT(tune(), 10);
  EXPECT_EQ(tune(), 0);
}

}  // namespace
}  // namespace mace::testing
