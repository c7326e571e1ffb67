// Every allocation of the process fails in turn, alone and with all later ones:
// what models, engines and runs make of it.
// SPDX-License-Identifier: Apache-2.0
//
// Each case runs in a process of its own, whose malloc fails when it is asked
// to. MACE_ALLOCATIONS=all tries each allocation in place of a sample;
// MACE_ALLOCATION_STACKS=1 prints where a process ended.

#include <execinfo.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>

#include "mace/public/mace.h"
#include "mace/public/mace_c.h"
#include "mace/testing/model_builder.h"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* p, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

struct Faults {
  std::atomic<int64_t> calls{0};
  std::atomic<bool> is_counting{false};
  int64_t first = -1, last = -1;  // calls that fail
};
Faults faults;

bool Fails() {
  if (!faults.is_counting.load(std::memory_order_relaxed)) return false;
  const int64_t call = faults.calls++;
  return call >= faults.first && call <= faults.last;
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) { return Fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) {
  return Fails() ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* p, size_t bytes) {
  return Fails() ? nullptr : __libc_realloc(p, bytes);
}
int posix_memalign(void** p, size_t alignment, size_t bytes) {
  if (Fails()) return ENOMEM;
  *p = __libc_memalign(alignment, bytes);
  return *p == nullptr ? ENOMEM : 0;
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return Fails() ? nullptr : __libc_memalign(alignment, bytes);
}

}  // extern "C"

namespace mace::testing {
namespace {

constexpr int64_t kEnd = int64_t{1} << 60;

ModelBuilder Convolutions() {
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .Weight("w", {8, 4, 5, 5}, SmallWeights(8 * 4 * 25))
      .Weight("c", {1, 1, 8}, SmallWeights(8))
      .Op("Conv2d", {"x", "w"}, {"a"}, {{"padding", int64_t{1}}})
      .Op("Unary", {"c"}, {"d"}, {{"type", std::string("EXP")}})
      .Op("Softmax", {"a"}, {"s"})
      .Op("Eltwise", {"s", "d"}, {"sum"}, {{"type", std::string("SUM")}})
      .Op("Pooling", {"sum"}, {"y"},
          {{"pooling_type", int64_t{2}},
           {"kernels", std::vector<int64_t>{2, 2}},
           {"strides", std::vector<int64_t>{2, 2}}})
      .Output("y");
  return b;
}

// A chain that leaves the planner much to do.
ModelBuilder Chain() {
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4});
  std::string last = "x", before = "x";
  for (int i = 0; i < 12; ++i) {
    const std::string name = "a_name_longer_than_sixteen_" + std::to_string(i);
    b.Op(i % 3 == 0 ? "Softmax" : "Eltwise",
         i % 3 == 0 ? std::vector<std::string>{last}
                    : std::vector<std::string>{last, before},
         {name},
         i % 3 == 0 ? AttrMap() : AttrMap{{"type", std::string("SUM")}});
    before = last;
    last = name;
  }
  b.Output(last);
  return b;
}

// What follows is planned within the run, as its shape depends on data.
ModelBuilder Deferred() {
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .WeightI32("start", {0})
      .WeightI32("axis", {1})
      .Op("NonZero", {"x"}, {"places", "count"})
      .Op("Slice", {"places", "start", "count", "axis"}, {"found"})
      .Op("Cast", {"found"}, {"y"}, {{"to", std::string("f32")}})
      .Output("y");
  return b;
}

enum Phase { kLoad, kCreate, kRun, kReshape, kDestroy };
const char* const kNames[] = {"load", "create", "run", "reshape", "destroy"};

// The numbers of the allocations that fail, counted from the begin of a phase.
struct Fault {
  Phase phase;
  int64_t first, last;
};

constexpr int kBad = 3;

// Begins and ends the phase of the fault. A status is told by what it was.
class Watch {
 public:
  explicit Watch(const Fault& fault) : fault_(fault) {}

  // Returns whether the call succeeded.
  template <typename Call>
  bool Do(Phase phase, const Call& call) {
    if (phase != fault_.phase) return call() == MACE_SUCCESS || Fail("before");
    faults.calls = 0;
    faults.first = fault_.first;
    faults.last = fault_.last;
    faults.is_counting = true;
    const int code = call();
    faults.is_counting = false;
    if (code != MACE_SUCCESS && code != MACE_OUT_OF_RESOURCES) Fail("status");
    return code == MACE_SUCCESS;
  }

  bool Fail(const char* what) {
    std::fprintf(stderr, "%s: %s of %lld\n", kNames[fault_.phase], what,
                 static_cast<long long>(fault_.first));
    _exit(kBad);
  }

 private:
  const Fault fault_;
};

struct Sample {
  std::vector<unsigned char> graph;
  std::shared_ptr<unsigned char> data;
  size_t data_size;
  std::string input, output;
};

struct Cpp {
  explicit Cpp(const Sample& s) : sample(s) {}
  int Load() {
    return MaceModel::Load(sample.graph.data(), sample.graph.size(),
                           sample.data, sample.data_size, &model)
        .code();
  }
  int Create() {
    MaceEngineConfig config;
    return MaceEngine::Create(model, {}, {}, config, &engine).code();
  }
  int Run(int64_t batch) {
    std::map<std::string, MaceTensor>& in = batch == 1 ? inputs : larger;
    std::map<std::string, MaceTensor>& out = batch == 1 ? outputs : large;
    return engine->Run(in, &out).code();
  }
  void Fill() {
    for (int64_t batch : {1, 2}) {
      const std::vector<float> x(static_cast<size_t>(batch) * 256, 1);
      (batch == 1 ? inputs : larger)[sample.input] =
          FloatTensor({batch, 8, 8, 4}, x);
    }
  }
  int Destroy() {
    engine = nullptr;
    model = nullptr;
    return 0;
  }
  std::vector<float> Result() { return Values(outputs[sample.output]); }

  const Sample& sample;
  std::shared_ptr<MaceModel> model;
  std::shared_ptr<MaceEngine> engine;
  std::map<std::string, MaceTensor> inputs, larger, outputs, large;
};

struct C {
  explicit C(const Sample& s) : sample(s) {}
  int Load() {
    return mace_model_load_memory(sample.graph.data(), sample.graph.size(),
                                  sample.data.get(), sample.data_size, nullptr,
                                  nullptr, nullptr, &model);
  }
  int Create() {
    mace_config_t* config = nullptr;
    int code = mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config);
    if (code == MACE_SUCCESS) {
      code = mace_engine_create(model, config, nullptr, 0, nullptr, 0, &engine);
    }
    mace_config_destroy(config);
    return code;
  }
  int Run(int64_t batch) {
    return mace_engine_run(engine, in[batch - 1], out[batch - 1], nullptr);
  }
  void Fill() {
    for (int64_t batch : {1, 2}) {
      x[batch - 1].assign(static_cast<size_t>(batch) * 256, 1);
      const int64_t shape[] = {batch, 8, 8, 4};
      mace_tensors_create(&in[batch - 1]);
      mace_tensors_create(&out[batch - 1]);
      mace_tensors_set(in[batch - 1], sample.input.c_str(), MACE_FLOAT32, shape,
                       4, x[batch - 1].data(), x[batch - 1].size() * 4);
    }
  }
  int Destroy() {
    mace_engine_destroy(engine);
    mace_model_destroy(model);
    return 0;
  }
  std::vector<float> Result() {
    const mace_tensor_t* y = mace_tensors_find(out[0], sample.output.c_str());
    const auto* data = static_cast<const float*>(mace_tensor_data(y));
    return {data, data + mace_tensor_bytes(y) / sizeof(float)};
  }

  const Sample& sample;
  mace_model_t* model = nullptr;
  mace_engine_t* engine = nullptr;
  mace_tensors_t *in[2] = {}, *out[2] = {};
  std::vector<float> x[2];
};

// Loads, creates, runs twice, runs with another shape, destroys. What follows
// a failed run finds the engine usable.
template <typename Api>
void Live(const Sample& sample, const Fault& fault) noexcept {
  Watch watch(fault);
  Api api(sample);
  if (!watch.Do(kLoad, [&] { return api.Load(); })) return;
  if (!watch.Do(kCreate, [&] { return api.Create(); })) return;
  api.Fill();
  if (api.Run(1) != MACE_SUCCESS) watch.Fail("first run");
  const std::vector<float> expected = api.Result();
  watch.Do(kRun, [&] { return api.Run(1); });
  watch.Do(kReshape, [&] { return api.Run(2); });
  if (api.Run(2) != MACE_SUCCESS) watch.Fail("run of the other shape");
  if (api.Run(1) != MACE_SUCCESS) watch.Fail("last run");
  if (api.Result() != expected) watch.Fail("result");
  watch.Do(kDestroy, [&] { return api.Destroy(); });
}

void PrintStack(int signal) {
  faults.is_counting = false;
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), 2);
  _exit(128 + signal);
}

// How `run` ended in a process of its own: true unless by a signal.
bool Survives(const std::function<void()>& run, int64_t* calls) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    if (std::getenv("MACE_ALLOCATION_STACKS") != nullptr) {
      void* frame;
      backtrace(&frame, 1);  // which allocates at first
      std::signal(SIGABRT, PrintStack);
    } else {
      fclose(stderr);
    }
    run();
    const int64_t count = faults.calls;
    _exit(write(ends[1], &count, sizeof(count)) == sizeof(count) ? 0 : 1);
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  const bool told = read(ends[0], calls, sizeof(*calls)) == sizeof(*calls);
  close(ends[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kBad) {
    ADD_FAILURE() << "a wrong status or result";
  }
  return told;
}

struct Count {
  int64_t tried = 0, aborted = 0;
};

template <typename Api>
void Try(const Sample& sample, Phase phase, int64_t max_tries, Count* count) {
  int64_t calls = 0;
  // None fails: what all calls are is counted.
  ASSERT_TRUE(
      Survives([&] { Live<Api>(sample, {phase, kEnd, kEnd}); }, &calls));
  const int64_t step = std::max<int64_t>(1, calls / max_tries);
  for (int64_t k = 0; k < calls; k += step) {
    for (const int64_t last : {k, kEnd}) {
      int64_t ignored = 0;
      ++count->tried;
      if (Survives([&] { Live<Api>(sample, {phase, k, last}); }, &ignored)) {
        continue;
      }
      ++count->aborted;
    }
  }
  std::printf("%s: %lld allocations, %lld tried, %lld aborted\n", kNames[phase],
              static_cast<long long>(calls),
              static_cast<long long>(count->tried),
              static_cast<long long>(count->aborted));
}

// In no run and with no other shape does the process end, and seldom while a
// model is loaded and an engine created.
template <typename Api>
void TryAll(ModelBuilder model, const std::string& output) {
  Sample sample = {model.Graph(), model.Data(), model.data_size(), "x", output};
  Cpp(sample).Load();  // the reserve is filled, and so not among the calls
  const bool all = std::getenv("MACE_ALLOCATIONS") != nullptr;
  for (const Phase phase : {kLoad, kCreate, kRun, kReshape, kDestroy}) {
    Count count;
    Try<Api>(sample, phase, all ? kEnd : 25, &count);
    const int64_t most = phase <= kCreate ? count.tried / 20 : 0;
    EXPECT_LE(count.aborted, most) << kNames[phase];
  }
}

const char kLast[] = "a_name_longer_than_sixteen_11";

TEST(FailingAllocations, ConvolutionsInCpp) {
  TryAll<Cpp>(Convolutions(), "y");
}
TEST(FailingAllocations, ConvolutionsInC) { TryAll<C>(Convolutions(), "y"); }
TEST(FailingAllocations, ChainInCpp) { TryAll<Cpp>(Chain(), kLast); }
TEST(FailingAllocations, ChainInC) { TryAll<C>(Chain(), kLast); }
TEST(FailingAllocations, DeferredInCpp) { TryAll<Cpp>(Deferred(), "y"); }
TEST(FailingAllocations, DeferredInC) { TryAll<C>(Deferred(), "y"); }

}  // namespace
}  // namespace mace::testing
