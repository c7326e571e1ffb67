// Activations below the sum of any step's inputs and outputs, with the same
// bits as a plan in which no tensor shares memory.
// SPDX-License-Identifier: Apache-2.0

#include "test/memory/mobilenets.h"

#include <gtest/gtest.h>

namespace mace::test {
namespace {

struct Outcome {
  std::vector<float> prob;
  int64_t arena_bytes = 0;
};

Outcome Run(std::shared_ptr<MaceModel> model, const std::string& strategy,
            bool save, int threads, bool guard) {
  MaceEngineConfig config;
  EXPECT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
  if (!strategy.empty()) {
    EXPECT_TRUE(config.SetMemoryStrategy(strategy).ok());
  }
  config.SetMemorySavings({save, save, save, save, save});
  config.SetGuard(guard);
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus created =
      MaceEngine::Create(std::move(model), {}, {}, config, &engine);
  EXPECT_TRUE(created.ok()) << created.information();
  if (!created.ok()) return {};
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus ran = engine->Run({{"input", Picture()}}, &outputs);
  EXPECT_TRUE(ran.ok()) << ran.information();
  MaceMemoryUsage usage;
  EXPECT_TRUE(engine->GetMemoryUsage(&usage).ok());
  return {testing::Values(outputs["prob"]), usage.head_bytes};
}

void ExpectWithin(std::shared_ptr<MaceModel> model, int threads, double mib) {
  const Outcome naive = Run(model, "NAIVE", false, threads, false);
  // The engine's own choice.
  const Outcome best = Run(model, "", true, threads, false);
  EXPECT_EQ(best.prob, naive.prob);
  EXPECT_EQ(Run(model, "", true, threads, /*guard=*/true).prob, naive.prob);
  EXPECT_GT(*std::max_element(naive.prob.begin(), naive.prob.end()), 0.002f);
  EXPECT_LE(best.arena_bytes, mib * (1 << 20));
  std::printf("activations: %.3f MiB with %d threads, NAIVE %.3f\n",
              best.arena_bytes / double{1 << 20}, threads,
              naive.arena_bytes / double{1 << 20});
}

TEST(MobileNets, V1TakesAtMost3Point2MiB) {
  for (int threads : {1, 2}) ExpectWithin(MobileNetV1().Load(), threads, 3.2);
}

TEST(MobileNets, V2TakesAtMost4Point8MiB) {
  for (int threads : {1, 2}) ExpectWithin(MobileNetV2().Load(), threads, 4.8);
}

}  // namespace
}  // namespace mace::test
