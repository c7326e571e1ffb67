// Children of a process that uses the GPU: its driver does not work in them.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/gpu_needed.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr int64_t kExtent = 64, kChannels = 32;

std::shared_ptr<MaceEngine> CreateEngine(const MaceEngineConfig& config) {
  ModelBuilder b;
  b.Input("x", {1, kExtent, kExtent, kChannels})
      .Weight("w", {kChannels, kChannels, 3, 3},
              SmallWeights(kChannels * kChannels * 9))
      .Op("Conv2d", {"x", "w"}, {"y"}, {{"padding", int64_t{1}}})
      .Output("y");
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

MaceStatus RunOn(MaceEngine& engine) {
  std::map<std::string, MaceTensor> outputs;
  return engine.Run(
      {{"x", FloatTensor({1, kExtent, kExtent, kChannels},
                         SmallWeights(kExtent * kExtent * kChannels))}},
      &outputs);
}

bool Says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

std::string PlanOf(const MaceEngine& engine) {
  std::string text;
  EXPECT_TRUE(engine.Dump("plan", &text).ok());
  return text;
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

TEST(GpuFork, AChildRefusesTheParentsEngineAndUsesTheCpu) {
  auto engine = CreateEngine(MaceEngineConfig(GPU));
  ASSERT_TRUE(RunOn(*engine).ok());
  ASSERT_TRUE(Says(PlanOf(*engine), "GPU"));
  EXPECT_TRUE(InChild([&] {
    const MaceStatus status = RunOn(*engine);
    return status == MaceStatus::MACE_RUNTIME_ERROR &&
           Says(status.information(), "create the engine after the fork");
  }));
  EXPECT_TRUE(InChild([&] {
    return engine->ReleaseIntermediateBuffer().ok() && (engine.reset(), true);
  }));
  EXPECT_TRUE(InChild([&] {
    const auto own = CreateEngine(MaceEngineConfig(GPU));
    return RunOn(*own).ok() &&
           Says(PlanOf(*own),
                "no GPU, the CPU takes over: this process is a "
                "fork of one that used the GPU");
  }));
  EXPECT_TRUE(InChild(
      [&] { return RunOn(*CreateEngine(MaceEngineConfig(CPU))).ok(); }));
  EXPECT_TRUE(RunOn(*engine).ok());  // the parent's goes on
}

}  // namespace
}  // namespace mace::testing
