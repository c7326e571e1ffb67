// The C API with a GPU: stores of compiled programs, progress, handles, and
// tensors in GPU memory.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "mace/opencl/opencl_device.h"
#include "mace/public/mace_c.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr int64_t kShape[] = {1, 64, 64, 18};
constexpr size_t kInputs = 64 * 64 * 18, kOutputs = 64 * 64 * 33;

std::vector<float> Numbers(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i * 37 % 101) / 101 - 0.5f;
  }
  return values;
}

// What the functions of the app's stores saw.
struct Stores {
  std::map<std::string, std::string> values;  // of all stores, by key
  int opened = 0, loaded = 0, inserted = 0, found = 0, flushed = 0, closed = 0,
      released = 0;
};

void* Open(void* user, const char* name) {
  auto* stores = static_cast<Stores*>(user);
  EXPECT_NE(name, nullptr);
  ++stores->opened;
  return stores;
}
int Load(void* storage) {
  ++static_cast<Stores*>(storage)->loaded;
  return 0;
}
int Insert(void* storage, const char* key, const void* value, size_t bytes) {
  auto* stores = static_cast<Stores*>(storage);
  ++stores->inserted;
  stores->values[key].assign(static_cast<const char*>(value), bytes);
  return 0;
}
int Find(void* storage, const char* key, const void** value, size_t* bytes) {
  auto* stores = static_cast<Stores*>(storage);
  const auto at = stores->values.find(key);
  if (at == stores->values.end()) return 0;
  ++stores->found;
  *value = at->second.data();
  *bytes = at->second.size();
  return 1;
}
int Flush(void* storage) {
  ++static_cast<Stores*>(storage)->flushed;
  return 0;
}
void Close(void* storage) { ++static_cast<Stores*>(storage)->closed; }
void Release(void* user) { ++static_cast<Stores*>(user)->released; }

struct Progress {
  int calls = 0, done = 0, total = 0;
};
void OnProgress(void* user, int32_t done, int32_t total) {
  auto* progress = static_cast<Progress*>(user);
  ++progress->calls;
  progress->done = done;
  progress->total = total;
}

#define ASSERT_MACE(call) ASSERT_EQ(call, MACE_SUCCESS) << mace_last_error()

class GpuCApi : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto system = opencl::SystemClApi();
    if (!system.ok()) {
      return FailOrSkipWithoutGpu(system.status().information());
    }
    api_ = *system;
    ModelBuilder b;
    b.Input("x", {1, 64, 64, 18})
        .Weight("w", {33, 18, 3, 3}, Numbers(33 * 18 * 9))
        .Op("Conv2d", {"x", "w"}, {"y"}, {{"padding", int64_t{1}}})
        .Output("y");
    graph_ = b.Graph();
    data_ = b.Data();
    ASSERT_MACE(mace_model_load_memory(graph_.data(), graph_.size(),
                                       data_.get(), b.data_size(), nullptr,
                                       nullptr, nullptr, &model_));
    ASSERT_MACE(mace_tensors_create(&inputs_));
    ASSERT_MACE(mace_tensors_create(&outputs_));
    input_ = Numbers(kInputs);
    ASSERT_MACE(mace_tensors_set(inputs_, "x", MACE_FLOAT32, kShape, 4,
                                 input_.data(), kInputs * sizeof(float)));
    CreateEngine(MACE_GPU, nullptr);
    void *context = nullptr, *device = nullptr;
    if (mace_engine_gpu_handles(engine_, &context, &device) != MACE_SUCCESS) {
      FailOrSkipWithoutGpu(mace_last_error());
    }
    DestroyEngine();
  }
  void TearDown() override {
    DestroyEngine();
    mace_model_destroy(model_);
    mace_tensors_destroy(inputs_);
    mace_tensors_destroy(outputs_);
  }

  void CreateEngine(mace_device_t device, const mace_gpu_context_t* context) {
    mace_config_t* config = nullptr;
    ASSERT_MACE(mace_config_create(device, MACE_VERSION_NUMBER, &config));
    ASSERT_MACE(mace_config_set_gpu_data_type(config, "fp32_fp32"));
    if (context != nullptr) {
      ASSERT_MACE(mace_config_set_gpu_context(config, context));
    }
    ASSERT_MACE(
        mace_engine_create(model_, config, nullptr, 0, nullptr, 0, &engine_));
    mace_config_destroy(config);
  }
  void DestroyEngine() {
    mace_engine_destroy(engine_);
    engine_ = nullptr;
  }

  int64_t Count(int which) const {
    int64_t counts[MACE_DEVICE_COUNTS];
    EXPECT_EQ(mace_engine_device_counts(engine_, counts, MACE_DEVICE_COUNTS),
              MACE_SUCCESS);
    return counts[which];
  }

  std::vector<float> Answer() {
    EXPECT_EQ(mace_engine_run(engine_, inputs_, outputs_, nullptr),
              MACE_SUCCESS)
        << mace_last_error();
    const auto* y = static_cast<const float*>(
        mace_tensor_data(mace_tensors_find(outputs_, "y")));
    return {y, y + kOutputs};
  }

  const opencl::ClApi* api_ = nullptr;
  std::vector<unsigned char> graph_;
  std::shared_ptr<unsigned char> data_;
  std::vector<float> input_;
  mace_model_t* model_ = nullptr;
  mace_engine_t* engine_ = nullptr;
  mace_tensors_t *inputs_ = nullptr, *outputs_ = nullptr;
};

TEST_F(GpuCApi, ProgramsAreKeptInTheStoresOfTheApp) {
  Stores stores;
  mace_kv_storage_t calls = {sizeof(calls), &stores, Open,  Load,   Insert,
                             Find,          Flush,   Close, Release};
  ASSERT_MACE(mace_set_kv_storage(&calls));
  CreateEngine(MACE_GPU, nullptr);
  const int64_t compiled = Count(MACE_COMPILED_PROGRAMS);
  EXPECT_GT(compiled, 0);
  // And what was found of the CPU's micro-kernels.
  EXPECT_EQ(stores.inserted, compiled + 1);
  EXPECT_GT(stores.flushed, 0);
  EXPECT_EQ(stores.loaded, stores.opened);
  EXPECT_EQ(stores.found, 0);
  const std::vector<float> expected = Answer();
  EXPECT_GT(Count(MACE_KERNELS), 0);
  DestroyEngine();
  EXPECT_EQ(stores.closed, stores.opened);
  CreateEngine(MACE_GPU, nullptr);
  EXPECT_EQ(Count(MACE_COMPILED_PROGRAMS), 0);
  EXPECT_EQ(Count(MACE_LOADED_PROGRAMS), compiled);
  EXPECT_GE(stores.found, compiled);
  EXPECT_EQ(Answer(), expected);
  // Engines keep what they use.
  ASSERT_MACE(mace_set_kv_storage(nullptr));
  EXPECT_EQ(stores.released, 0);
  DestroyEngine();
  EXPECT_EQ(stores.released, 1);
  EXPECT_EQ(stores.closed, stores.opened);
}

TEST_F(GpuCApi, AnAppWithoutAStoreGetsTheSameAnswer) {
  Stores stores;
  mace_kv_storage_t calls = {sizeof(calls), &stores, nullptr, Load,   Insert,
                             Find,          Flush,   Close,   Release};
  calls.open = [](void*, const char*) -> void* { return nullptr; };
  ASSERT_MACE(mace_set_kv_storage(&calls));
  CreateEngine(MACE_GPU, nullptr);
  EXPECT_GT(Count(MACE_COMPILED_PROGRAMS), 0);
  EXPECT_EQ(Answer().size(), kOutputs);
  EXPECT_EQ(stores.closed + stores.inserted, 0);
  ASSERT_MACE(mace_set_kv_storage(nullptr));
}

TEST_F(GpuCApi, ProgressIsReported) {
  Progress progress;
  mace_gpu_context_builder_t* builder = nullptr;
  mace_gpu_context_t* context = nullptr;
  ASSERT_MACE(mace_gpu_context_builder_create(&builder));
  ASSERT_MACE(
      mace_gpu_context_builder_set_progress(builder, OnProgress, &progress));
  ASSERT_MACE(mace_gpu_context_builder_build(builder, &context));
  mace_gpu_context_builder_destroy(builder);
  CreateEngine(MACE_GPU, context);
  mace_gpu_context_destroy(context);
  EXPECT_GT(progress.calls, 0);
  EXPECT_EQ(progress.done, progress.total);
}

TEST_F(GpuCApi, TensorsInGpuMemoryNeedNoCopy) {
  CreateEngine(MACE_CPU, nullptr);
  const std::vector<float> expected = Answer();
  DestroyEngine();
  CreateEngine(MACE_GPU, nullptr);
  void *context = nullptr, *device = nullptr;
  ASSERT_MACE(mace_engine_gpu_handles(engine_, &context, &device));
  cl_int code = CL_SUCCESS;
  const auto buffer = [&](size_t floats, cl_mem_flags flags, float* host) {
    return api_->clCreateBuffer(static_cast<cl_context>(context), flags,
                                floats * sizeof(float), host, &code);
  };
  cl_mem x =
      buffer(kInputs, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, input_.data());
  ASSERT_EQ(code, CL_SUCCESS);
  cl_mem y = buffer(kOutputs, CL_MEM_READ_WRITE, nullptr);
  ASSERT_EQ(code, CL_SUCCESS);
  const int64_t shape[] = {1, 64, 64, 33};
  ASSERT_MACE(
      mace_tensors_set_gpu(inputs_, "x", MACE_GPU_BUFFER, kShape, 4, x));
  ASSERT_MACE(
      mace_tensors_set_gpu(outputs_, "y", MACE_GPU_BUFFER, shape, 4, y));
  ASSERT_MACE(mace_engine_run(engine_, inputs_, outputs_, nullptr));
  EXPECT_EQ(Count(MACE_BYTES_FROM_HOST) + Count(MACE_BYTES_TO_HOST), 0);

  std::vector<float> values(kOutputs);
  cl_command_queue queue =
      api_->clCreateCommandQueue(static_cast<cl_context>(context),
                                 static_cast<cl_device_id>(device), 0, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(
      api_->clEnqueueReadBuffer(queue, y, CL_TRUE, 0, kOutputs * sizeof(float),
                                values.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  for (size_t i = 0; i < kOutputs; ++i) {
    ASSERT_NEAR(values[i], expected[i], 1e-3f) << i;
  }
  api_->clReleaseCommandQueue(queue);
  api_->clReleaseMemObject(x);
  api_->clReleaseMemObject(y);
}

}  // namespace
}  // namespace mace::testing
