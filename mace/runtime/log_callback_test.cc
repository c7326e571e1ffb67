// The log of engines through a callback, which may call the library again.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

ModelBuilder Sample() {
  ModelBuilder b;
  b.Input("x", {1, 4})
      .Op("Activation", {"x"}, {"a"}, {{"activation", std::string("TANH")}})
      .Op("Softmax", {"a"}, {"y"})
      .Output("y");
  return b;
}

std::shared_ptr<MaceEngine> CreateEngine(DeviceType device = CPU) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status = MaceEngine::Create(
      Sample().Load(), {}, {}, MaceEngineConfig(device), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> RunOn(MaceEngine& engine, int64_t rows = 1) {
  std::map<std::string, MaceTensor> outputs;
  const std::vector<float> x(4 * rows, 0.5f);
  const MaceStatus status =
      engine.Run({{"x", FloatTensor({rows, 4}, x)}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return Values(outputs["y"]);
}

// What the callback got, and an engine that it uses.
struct User {
  std::mutex mutex;
  std::vector<std::string> lines;
  std::shared_ptr<MaceEngine> engine;
  int num_uses = 0;

  static void Call(MaceLogLevel level, const char* message, void* user) {
    User& self = *static_cast<User*>(user);
    {
      std::lock_guard<std::mutex> lock(self.mutex);
      self.lines.push_back(std::to_string(level) + " " + message);
    }
    if (self.engine == nullptr) return;
    MaceMemoryUsage usage;
    EXPECT_TRUE(self.engine->GetMemoryUsage(&usage).ok());
    EXPECT_EQ(RunOn(*self.engine), std::vector<float>(4, 0.25f));
    EXPECT_TRUE(self.engine->ReleaseIntermediateBuffer().ok());
    ++self.num_uses;
  }

  int64_t Count(const std::string& text) {
    std::lock_guard<std::mutex> lock(mutex);
    return std::count_if(lines.begin(), lines.end(), [&](const auto& line) {
      return line.find(text) != std::string::npos;
    });
  }
};

class LogCallback : public ::testing::Test {
 protected:
  void TearDown() override { SetLogCallback(nullptr, nullptr); }
  User user_;
};

TEST_F(LogCallback, GetsTheLevelsThatWereAskedFor) {
  SetLogCallback(&User::Call, &user_, MACE_LOG_VERBOSE_2);
  const auto engine = CreateEngine();
  RunOn(*engine);
  EXPECT_EQ(user_.Count("3 creating an engine, MACE "), 1);
  EXPECT_EQ(user_.Count("3 planned 2 ops in "), 1);
  EXPECT_EQ(user_.Count("3 run in "), 1);
  EXPECT_EQ(user_.Count("4 Softmax 'y' on CPU in "), 1);
  EXPECT_EQ(user_.Count("\n"), 0);
  for (const std::string& line : user_.lines) {
    EXPECT_TRUE(line[0] == '3' || line[0] == '4') << line;
  }
  user_.lines.clear();
  SetLogCallback(&User::Call, &user_, MACE_LOG_WARNING);
  RunOn(*CreateEngine());
  EXPECT_TRUE(user_.lines.empty());
}

// Run holds the engine's lock while it writes these lines.
TEST_F(LogCallback, MayRunTheEngineThatWrites) {
  user_.engine = CreateEngine();
  SetLogCallback(&User::Call, &user_, MACE_LOG_VERBOSE_4);
  RunOn(*user_.engine);
  const int of_a_run = user_.num_uses;
  EXPECT_GE(of_a_run, 5);  // a run, and two lines for each op
  // A plan for another shape, too.
  RunOn(*user_.engine, 3);
  EXPECT_GT(user_.num_uses, 2 * of_a_run);
  EXPECT_EQ(static_cast<size_t>(user_.num_uses), user_.lines.size());
}

TEST_F(LogCallback, MayUseTheEngineWhoseMemoryANewOneShares) {
  user_.engine = CreateEngine();
  SetLogCallback(&User::Call, &user_, MACE_LOG_VERBOSE_4);
  MaceEngineConfig config;
  ASSERT_TRUE(config.ShareMemoryWith(user_.engine.get()).ok());
  std::shared_ptr<MaceEngine> other;
  ASSERT_TRUE(MaceEngine::Create(Sample().Load(), {}, {}, config, &other).ok());
  EXPECT_EQ(RunOn(*other), std::vector<float>(4, 0.25f));
  EXPECT_GT(user_.num_uses, 0);
}

TEST_F(LogCallback, FromManyThreads) {
  SetLogCallback(&User::Call, &user_, MACE_LOG_VERBOSE_1);
  constexpr int kThreads = 4, kRuns = 20;
  const auto shared = CreateEngine();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const auto own = CreateEngine();
      for (int i = 0; i < kRuns; ++i) {
        RunOn(*own);
        RunOn(*shared);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(user_.Count("creating an engine"), 1 + kThreads);
  EXPECT_EQ(user_.Count("run in "), 2 * kThreads * kRuns);
}

// Where there is no GPU, which a callback may want to tell its user.
TEST_F(LogCallback, TellsThatTheCpuTakesOver) {
  // No driver: what drivers leak would fail this test under a sanitizer.
  setenv("OCL_ICD_VENDORS", "/there/are/none", 1);
  SetLogCallback(&User::Call, &user_, MACE_LOG_WARNING);
  const auto engine = CreateEngine(GPU);
  std::string plan;
  ASSERT_TRUE(engine->Dump("plan", &plan).ok());
  const bool missing = plan.find("no GPU, the CPU takes over") == 0;
  EXPECT_EQ(user_.Count("1 no GPU, the CPU takes over: "), missing ? 1 : 0);
}

}  // namespace
}  // namespace mace::testing
