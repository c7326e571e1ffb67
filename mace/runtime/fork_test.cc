// Children that are forked while other threads use the library run, create and
// destroy engines as their parent does.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "mace/public/mace_async.h"
#include "mace/testing/model_builder.h"

namespace {

std::atomic<bool> g_no_memory{false};  // for what thread pools allocate

}  // namespace

void* operator new[](size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  const auto multiple = static_cast<size_t>(alignment);
  if (g_no_memory) return nullptr;
  return std::aligned_alloc(multiple,
                            (bytes + multiple - 1) / multiple * multiple);
}

void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }

namespace mace::testing {
namespace {

constexpr int64_t kColumns = 64;

ModelBuilder Product() {
  std::vector<float> weights(kColumns * kColumns);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i % 7) - 3;
  }
  ModelBuilder b;
  b.Input("x", {1, kColumns})
      .Weight("w", {kColumns, kColumns}, weights)
      .Op("MatMul", {"x", "w"}, {"a"})
      .Op("Softmax", {"a"}, {"y"})
      .Output("y");
  return b;
}

std::shared_ptr<MaceEngine> CreateEngine(std::shared_ptr<MaceModel> model,
                                         int threads) {
  MaceEngineConfig config;
  EXPECT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(std::move(model), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> RunOn(MaceEngine& engine, int64_t rows) {
  std::vector<float> x(rows * kColumns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) / 8;
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status =
      engine.Run({{"x", FloatTensor({rows, kColumns}, x)}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return Values(outputs["y"]);
}

// Whether `f` returns true in a child, in time.
bool InChild(const std::function<bool()>& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // what never ends must end the test
    _exit(f() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// While `f` is called again and again on another thread.
class Busy {
 public:
  explicit Busy(std::function<void()> f)
      : thread_([this, f = std::move(f)] {
          while (!ends_) f();
        }) {}
  ~Busy() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

constexpr int kChildren = 30;

class Fork : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "this build: ThreadSanitizer starts no threads in a child";
#endif
  }
};

TEST_F(Fork, WithoutMemoryForThreads) {
  const auto engine = CreateEngine(Product().Load(), 3);
  const std::vector<float> expected = RunOn(*engine, 600);
  EXPECT_TRUE(InChild([&] {
    g_no_memory = true;
    const bool is_right = RunOn(*engine, 600) == expected;
    g_no_memory = false;
    return is_right && RunOn(*engine, 600) == expected;
  }));
}

TEST_F(Fork, WhileTheSameEngineRunsAndPlans) {
  const auto engine = CreateEngine(Product().Load(), 3);
  const std::vector<float> expected = RunOn(*engine, 5);
  int64_t rows = 0;
  const Busy busy([&] { RunOn(*engine, 1 + rows++ % 20 * 30); });
  for (int i = 0; i < kChildren; ++i) {
    ASSERT_TRUE(InChild([&] { return RunOn(*engine, 5) == expected; })) << i;
  }
}

TEST_F(Fork, WhileEnginesAreCreatedAndDestroyed) {
  const auto model = Product().Load();
  const auto own = CreateEngine(model, 2);
  const std::vector<float> expected = RunOn(*own, 5);
  const Busy busy([&] { CreateEngine(Product().Load(), 2); });
  const Busy shares([&] { CreateEngine(model, 2); });
  for (int i = 0; i < kChildren; ++i) {
    ASSERT_TRUE(InChild([&] {
      return RunOn(*CreateEngine(model, 2), 5) == expected &&
             RunOn(*own, 5) == expected;
    })) << i;
  }
}

TEST_F(Fork, AChildDestroysTheEngineOfItsParent) {
  auto engine = CreateEngine(Product().Load(), 3);
  {
    const Busy busy([&] { RunOn(*engine, 50); });
    // Threads that only the parent has are not waited for.
    ASSERT_TRUE(InChild([&] {
      engine.reset();
      return true;
    }));
  }
  // A fork of a fork, with threads that the first one started.
  EXPECT_TRUE(InChild([&] {
    const std::vector<float> expected = RunOn(*engine, 5);
    return InChild([&] { return RunOn(*engine, 5) == expected; });
  }));
}

// Of the app, called while a run holds the engine: it waits for a fork that
// another thread must do, as Python's lock makes callbacks wait.
struct Waits {
  std::atomic<bool> is_called{false}, is_forked{false};

  static void Call(MaceLogLevel, const char*, void* user) {
    auto& self = *static_cast<Waits*>(user);
    self.is_called = true;
    while (!self.is_forked) std::this_thread::yield();
  }
};

TEST_F(Fork, WhileACallbackWaitsForIt) {
  const auto engine = CreateEngine(Product().Load(), 2);
  const std::vector<float> expected = RunOn(*engine, 5);
  Waits waits;
  SetLogCallback(Waits::Call, &waits, MACE_LOG_VERBOSE_1);
  std::thread runs([&] { RunOn(*engine, 5); });
  while (!waits.is_called) std::this_thread::yield();
  EXPECT_TRUE(InChild([&] {
    // Nobody calls the parent's callback, and none is waited for.
    SetLogCallback(nullptr, nullptr, MACE_LOG_INFO);
    return RunOn(*engine, 5) == expected;
  }));
  waits.is_forked = true;
  runs.join();
  SetLogCallback(nullptr, nullptr, MACE_LOG_INFO);
}

TEST_F(Fork, MutexesOfOtherThreadsAreFreeInTheChild) {
  Mutex held, own;
  std::atomic<int> stage{0};
  std::thread holds([&] {
    const std::lock_guard<Mutex> lock(held);
    const AllowFork allow_fork;
    stage = 1;
    while (stage != 2) std::this_thread::yield();
  });
  while (stage != 1) std::this_thread::yield();
  {
    const std::lock_guard<Mutex> lock(own);
    EXPECT_FALSE(held.try_lock());
    const uint32_t generation = ForkGeneration();
    EXPECT_TRUE(InChild([&] {
      if (ForkGeneration() != generation + 1 || !held.try_lock()) return false;
      held.unlock();
      bool is_free = true;
      std::thread([&] { is_free = own.try_lock(); }).join();
      return !is_free;
    }));
  }
  stage = 2;
  holds.join();
}

// A fork waits for a Mutex whose thread may be changing what it guards.
TEST_F(Fork, WaitsForChanges) {
  Mutex mutex;
  int a = 0, b = 0;
  const Busy busy([&] {
    const std::lock_guard<Mutex> lock(mutex);
    ++a;
    for (int i = 0; i < 1000; ++i) __asm__ volatile("" ::: "memory");
    ++b;
  });
  for (int i = 0; i < kChildren; ++i) {
    ASSERT_TRUE(InChild([&] {
      const std::lock_guard<Mutex> lock(mutex);
      return a == b;
    })) << i;
  }
}

// The child has no thread for them, and no callback of the parent's is called.
TEST_F(Fork, LeavesAsynchronousRunsToTheParent) {
  const auto engine = CreateEngine(Product().Load(), 1);
  std::shared_ptr<MaceAsyncRuns> runs;
  ASSERT_TRUE(MaceAsyncRuns::Create(engine, 4, &runs).ok());
  const std::map<std::string, MaceTensor> inputs = {
      {"x", FloatTensor({1, kColumns}, std::vector<float>(kColumns, 1))}};
  const pid_t child = fork();
  if (child == 0) {
    const MaceStatus status = runs->RunAsync(inputs).get().status;
    runs->Close();
    runs.reset();
    std::map<std::string, MaceTensor> outputs;
    const bool ok = status.code() == MaceStatus::MACE_INVALID_ARGS &&
                    status.information().find("parent") != std::string::npos &&
                    engine->Run(inputs, &outputs).ok();
    _exit(ok ? 0 : 1);
  }
  EXPECT_TRUE(runs->RunAsync(inputs).get().status.ok());
  int ended = -1;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
}

}  // namespace
}  // namespace mace::testing
