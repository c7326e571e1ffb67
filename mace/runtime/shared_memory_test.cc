// Engines that share the memory of their runs, and engines that give it back.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

constexpr int64_t kSmall = 100, kLarge = 5000;

// y = softmax(tanh(x)) * softmax(x) * scale: two values of x's size live.
ModelBuilder Network(int64_t n, float scale) {
  ModelBuilder b;
  b.Input("x", {1, n})
      .Weight("w", {1}, {scale})
      .Op("Activation", {"x"}, {"t"}, {{"activation", std::string("TANH")}})
      .Op("Softmax", {"t"}, {"s"})
      .Op("Softmax", {"x"}, {"r"})
      .Op("Eltwise", {"s", "r"}, {"p"}, {{"type", std::string("PROD")}})
      .Op("Eltwise", {"p", "w"}, {"q"}, {{"type", std::string("PROD")}})
      .Op("Softmax", {"q"}, {"y"})
      .Output("y");
  return b;
}

MaceTensor Input(int64_t rows, int64_t n) {
  std::vector<float> values(rows * n);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * 31 % 17) / 8 - 1;
  }
  return FloatTensor({rows, n}, values);
}

// An engine and its right result.
class Tested {
 public:
  Tested(int64_t n, const MaceEngineConfig& config = MaceEngineConfig())
      : n_(n) {
    status_ = MaceEngine::Create(Model(), {}, {}, config, &engine);
  }

  // The bits of an engine with memory of its own.
  std::vector<float> Expected(int64_t rows = 1) const {
    std::shared_ptr<MaceEngine> plain;
    EXPECT_TRUE(
        MaceEngine::Create(Model(), {}, {}, MaceEngineConfig(), &plain).ok());
    return RunOn(*plain, rows);
  }
  std::vector<float> Run(int64_t rows = 1) const {
    return RunOn(*engine, rows);
  }
  MaceMemoryUsage Usage() const {
    MaceMemoryUsage usage;
    EXPECT_TRUE(engine->GetMemoryUsage(&usage).ok());
    return usage;
  }
  int64_t arena() const { return Usage().allocated_arena_bytes; }
  const MaceStatus& status() const { return status_; }

  std::shared_ptr<MaceEngine> engine;

 private:
  std::shared_ptr<MaceModel> Model() const {
    return Network(n_, static_cast<float>(n_)).Load();
  }
  std::vector<float> RunOn(MaceEngine& e, int64_t rows) const {
    std::map<std::string, MaceTensor> outputs;
    const MaceStatus ran = e.Run({{"x", Input(rows, n_)}}, &outputs);
    EXPECT_TRUE(ran.ok()) << ran.information();
    return ran.ok() ? Values(outputs["y"]) : std::vector<float>();
  }

  int64_t n_;
  MaceStatus status_;
};

MaceEngineConfig Sharing(const Tested& with) {
  MaceEngineConfig config;
  const MaceStatus status = config.ShareMemoryWith(with.engine.get());
  EXPECT_TRUE(status.ok()) << status.information();
  return config;
}

int64_t UsedBytes(const MaceMemoryUsage& usage, const std::string& name) {
  for (const MaceMemoryCategory& c : usage.categories) {
    if (c.name == name) return c.used_bytes;
  }
  return -1;
}

TEST(SharedMemory, IsTheLargestNotTheSum) {
  const int64_t small_bytes = Tested(kSmall).arena();
  const int64_t large_bytes = Tested(kLarge).arena();
  ASSERT_GT(small_bytes, 0);
  ASSERT_GT(large_bytes, 10 * small_bytes);
  for (const bool small_first : {true, false}) {
    SCOPED_TRACE(small_first);
    const Tested first(small_first ? kSmall : kLarge);
    const Tested second(small_first ? kLarge : kSmall, Sharing(first));
    const Tested third(kSmall, Sharing(second));
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(first.Run(), first.Expected());
      EXPECT_EQ(second.Run(), second.Expected());
      EXPECT_EQ(third.Run(), third.Expected());
    }
    for (const Tested* tested : {&first, &second, &third}) {
      EXPECT_EQ(tested->arena(), large_bytes);
    }
  }
}

TEST(SharedMemory, EnginesGoInAnyOrder) {
  const int64_t small_bytes = Tested(kSmall).arena();
  for (int gone = 0; gone < 3; ++gone) {
    SCOPED_TRACE(gone);
    std::vector<std::unique_ptr<Tested>> all;
    all.push_back(std::make_unique<Tested>(kSmall));
    all.push_back(std::make_unique<Tested>(kLarge, Sharing(*all[0])));
    all.push_back(std::make_unique<Tested>(kSmall, Sharing(*all[0])));
    all.erase(all.begin() + gone);
    for (const auto& tested : all) EXPECT_EQ(tested->Run(), tested->Expected());
    // What only the large one needed goes with it.
    if (gone == 1) {
      EXPECT_EQ(all[0]->arena(), small_bytes);
    }
    all.erase(all.begin());
    EXPECT_EQ(all[0]->Run(), all[0]->Expected());
  }
}

// The config that names an engine does not keep its memory.
TEST(SharedMemory, AConfigMayOutliveTheEngine) {
  auto first = std::make_unique<Tested>(kLarge);
  const MaceEngineConfig config = Sharing(*first);
  first.reset();
  const Tested second(kSmall, config), third(kSmall, config);
  EXPECT_EQ(second.Run(), second.Expected());
  EXPECT_EQ(third.arena(), Tested(kSmall).arena());
}

TEST(SharedMemory, OtherShapesLetItGrowForAll) {
  const Tested first(kSmall);
  const Tested second(kSmall, Sharing(first));
  const int64_t bytes = first.arena();
  EXPECT_EQ(second.Run(20), second.Expected(20));
  EXPECT_GT(first.arena(), 10 * bytes);
  EXPECT_EQ(first.Run(), first.Expected());
  EXPECT_EQ(first.Run(7), first.Expected(7));
  EXPECT_EQ(second.Run(20), second.Expected(20));
}

TEST(SharedMemory, RunsTakeTurns) {
  MaceEngineConfig guarded;
  guarded.SetGuard(true);  // fills all that no tensor lives in with NaN
  const Tested first(kLarge, guarded);
  MaceEngineConfig config = Sharing(first);
  config.SetGuard(true);
  const Tested second(kLarge, config), third(kSmall, config);
  const std::vector<const Tested*> all = {&first, &second, &third, &first};
  std::vector<std::thread> threads;
  for (const Tested* tested : all) {
    threads.emplace_back([tested] {
      const std::vector<float> expected = tested->Expected();
      for (int i = 0; i < 25; ++i) {
        EXPECT_EQ(tested->Run(), expected);
        if (i % 8 == 7) {
          EXPECT_TRUE(tested->engine->ReleaseIntermediateBuffer().ok());
        }
        EXPECT_GE(tested->arena(), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Engines come and go while others run.
TEST(SharedMemory, CreatedAndDestroyedWhileOthersRun) {
  const Tested first(kSmall);
  std::atomic<bool> stop{false};
  std::thread runner([&] {
    const std::vector<float> expected = first.Expected();
    while (!stop) EXPECT_EQ(first.Run(), expected);
  });
  for (int i = 0; i < 15; ++i) {
    const Tested other(i % 2 == 0 ? kLarge : kSmall, Sharing(first));
    EXPECT_EQ(other.Run(), other.Expected());
  }
  stop = true;
  runner.join();
  (void)first.Run();
  EXPECT_EQ(first.arena(), Tested(kSmall).arena());
}

// Memory counts for the limit of the engine that needs it, and for no other.
TEST(SharedMemory, LimitsAreOfEachEngine) {
  MaceEngineConfig limited;
  limited.SetMemoryLimit(8 * kSmall * sizeof(float));
  const Tested first(kSmall, limited);
  ASSERT_TRUE(first.status().ok()) << first.status().information();
  {
    const Tested large(kLarge, Sharing(first));
    EXPECT_EQ(large.Run(), large.Expected());
    EXPECT_EQ(first.Run(), first.Expected());
  }
  EXPECT_EQ(first.Run(), first.Expected());
  MaceEngineConfig too_little = Sharing(first);
  too_little.SetMemoryLimit(8 * kSmall * sizeof(float));
  const Tested refused(kLarge, too_little);
  EXPECT_EQ(refused.status().code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(refused.status().information().find("bytes for the arena"),
            std::string::npos)
      << refused.status().information();
  EXPECT_EQ(first.Run(), first.Expected());
}

TEST(SharedMemory, AnArenaOfTheCallersIsNotShared) {
  const std::shared_ptr<void> arena(std::aligned_alloc(64, 1 << 20), std::free);
  MaceEngineConfig with_arena;
  ASSERT_TRUE(with_arena.SetArena(arena.get(), 1 << 20).ok());
  const Tested in_arena(kSmall, with_arena);
  ASSERT_TRUE(in_arena.status().ok());
  MaceEngineConfig config;
  const MaceStatus refused = config.ShareMemoryWith(in_arena.engine.get());
  EXPECT_EQ(refused.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(refused.information().find("SetArena"), std::string::npos);

  const Tested plain(kSmall);
  ASSERT_TRUE(with_arena.ShareMemoryWith(plain.engine.get()).ok());
  const Tested both(kSmall, with_arena);
  EXPECT_EQ(both.status().code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(both.status().information().find("exclude each other"),
            std::string::npos);
  // Null takes it back.
  ASSERT_TRUE(with_arena.ShareMemoryWith(nullptr).ok());
  EXPECT_TRUE(Tested(kSmall, with_arena).status().ok());
}

// MACE's name for the engine to share with.
TEST(SharedMemory, Tutor) {
  const Tested tutor(kLarge);
  ModelBuilder b = Network(kSmall, kSmall);
  const std::vector<unsigned char> graph = b.Graph();
  const std::shared_ptr<unsigned char> data = b.Data();
  for (const bool shares : {true, false}) {
    std::shared_ptr<MaceEngine> engine;
    bool unused = true;
    const MaceStatus status = CreateMaceEngineFromProto(
        graph.data(), graph.size(), data.get(), b.data_size(), {}, {},
        MaceEngineConfig(), &engine, &unused,
        shares ? tutor.engine.get() : nullptr);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_FALSE(unused);
    MaceMemoryUsage usage;
    ASSERT_TRUE(engine->GetMemoryUsage(&usage).ok());
    EXPECT_EQ(usage.allocated_arena_bytes == tutor.arena(), shares);
  }
}

TEST(ReleaseIntermediateBuffer, TheNextRunHasTheSameBits) {
  const Tested tested(kLarge);
  const std::vector<float> expected = tested.Run();
  EXPECT_EQ(expected, tested.Expected());
  (void)tested.Run(2);
  const MaceMemoryUsage before = tested.Usage();
  EXPECT_GT(before.allocated_arena_bytes, 0);
  EXPECT_GT(UsedBytes(before, "activations"), 0);
  for (int round = 0; round < 2; ++round) {  // once more changes nothing
    ASSERT_TRUE(tested.engine->ReleaseIntermediateBuffer().ok());
    const MaceMemoryUsage after = tested.Usage();
    EXPECT_EQ(after.allocated_arena_bytes, 0);
    EXPECT_EQ(UsedBytes(after, "activations"), 0);
    EXPECT_EQ(UsedBytes(after, "scratch"), 0);
    EXPECT_EQ(UsedBytes(after, "weights"), UsedBytes(before, "weights"));
    EXPECT_EQ(after.head_bytes, before.head_bytes);
  }
  EXPECT_EQ(tested.Run(), expected);
  EXPECT_LT(tested.arena(), before.allocated_arena_bytes);
  EXPECT_EQ(tested.Run(2), tested.Expected(2));
  EXPECT_EQ(tested.arena(), before.allocated_arena_bytes);
}

TEST(ReleaseIntermediateBuffer, FreesTheMemoryOfAllThatShareIt) {
  const Tested first(kSmall);
  const Tested second(kLarge, Sharing(first));
  ASSERT_TRUE(first.engine->ReleaseIntermediateBuffer().ok());
  EXPECT_EQ(second.arena(), 0);
  EXPECT_EQ(first.Run(), first.Expected());
  EXPECT_EQ(second.Run(), second.Expected());
}

TEST(ReleaseIntermediateBuffer, AnArenaOfTheCallersStays) {
  const std::shared_ptr<void> arena(std::aligned_alloc(64, 1 << 20), std::free);
  MaceEngineConfig config;
  ASSERT_TRUE(config.SetArena(arena.get(), 1 << 20).ok());
  const Tested tested(kSmall, config);
  const int64_t used = UsedBytes(tested.Usage(), "activations");
  EXPECT_GT(used, 0);
  ASSERT_TRUE(tested.engine->ReleaseIntermediateBuffer().ok());
  EXPECT_EQ(UsedBytes(tested.Usage(), "activations"), used);
  EXPECT_EQ(tested.arena(), 0);
  EXPECT_EQ(tested.Run(), tested.Expected());
}

}  // namespace
}  // namespace mace::testing
