// The memory of engines: savings, the caller's arena, plans in the model file,
// recording.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    defined(__GLIBC__)
#define COUNT_ALLOCATIONS 1
#endif

#ifdef COUNT_ALLOCATIONS
// Counts every allocation of the process while `g_counting` is set. The
// operators new of C++ call malloc, too.
std::atomic<bool> g_counting{false};
std::atomic<int> g_allocations{0};

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t n) {
  if (g_counting) ++g_allocations;
  return __libc_malloc(n);
}
void* calloc(size_t n, size_t m) {
  if (g_counting) ++g_allocations;
  return __libc_calloc(n, m);
}
void* realloc(void* p, size_t n) {
  if (g_counting) ++g_allocations;
  return __libc_realloc(p, n);
}
int posix_memalign(void** p, size_t alignment, size_t n) {
  if (g_counting) ++g_allocations;
  *p = __libc_memalign(alignment, n);
  return *p == nullptr;
}
}
#endif

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// Two branches of convolutions, concatenated along the outermost axis, then
// added elementwise.
ModelBuilder Network() {
  const auto floats = [](int64_t n, float step) {
    std::vector<float> v(n);
    for (int64_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 7 - 3) * step;
    return v;
  };
  const AttrMap same = {{"strides", Ints{1, 1}}, {"padding", int64_t{1}}};
  const AttrMap relu = {{"activation", std::string("RELU")}};
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .Weight("w1", {8, 4, 1, 1}, floats(8 * 4, 0.1f))
      .Weight("w2", {8, 8, 1, 1}, floats(64, 0.2f))
      .Weight("d", {1, 8, 3, 3}, floats(72, 0.3f))
      .Op("Conv2d", {"x", "w1"}, {"c1"}, same)
      .Op("Activation", {"c1"}, {"a1"}, relu)
      .Op("Conv2d", {"a1", "w2"}, {"c2"}, same)
      .Op("DepthwiseConv2d", {"a1", "d"}, {"c3"}, same)
      .Op("Concat", {"c2", "c3"}, {"joined"}, {{"axis", int64_t{0}}})
      .Op("Reshape", {"joined"}, {"flat"}, {{"dim", Ints{2, -1}}})
      .Op("Eltwise", {"flat", "flat"}, {"sum"}, {{"type", std::string("SUM")}})
      .Op("Activation", {"sum"}, {"y"}, relu)
      .Output("y");
  return b;
}

MaceTensor Picture() {
  std::vector<float> v(256);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 11) - 5;
  return FloatTensor({1, 8, 8, 4}, v);
}

MaceEngineConfig Config(const std::string& strategy, bool save,
                        int threads = 1) {
  MaceEngineConfig config;
  EXPECT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
  EXPECT_TRUE(config.SetMemoryStrategy(strategy).ok());
  config.SetMemorySavings({save, save, save, save, save});
  return config;
}

std::shared_ptr<MaceEngine> Create(std::shared_ptr<MaceModel> model,
                                   const MaceEngineConfig& config) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(std::move(model), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> RunOnce(MaceEngine& engine) {
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status = engine.Run({{"x", Picture()}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return Values(outputs["y"]);
}

int64_t ArenaOf(const MaceEngine& engine) {
  MaceMemoryUsage usage;
  EXPECT_TRUE(engine.GetMemoryUsage(&usage).ok());
  return usage.head_bytes;
}

TEST(Savings, SameBitsInFewerBytes) {
  const auto model = Network().Load();
  const auto naive = Create(model, Config("offsets/NAIVE", false));
  const auto greedy = Create(model, Config("offsets/GREEDY_BY_SIZE", false));
  const auto saving = Create(model, Config("offsets/GREEDY_BY_SIZE", true));
  const std::vector<float> want = RunOnce(*naive);
  EXPECT_EQ(RunOnce(*greedy), want);
  EXPECT_EQ(RunOnce(*saving), want);
  EXPECT_LT(ArenaOf(*greedy), ArenaOf(*naive));
  EXPECT_LE(ArenaOf(*saving), ArenaOf(*greedy));
  MaceMemoryUsage plain, saved;
  ASSERT_TRUE(greedy->GetMemoryUsage(&plain).ok());
  ASSERT_TRUE(saving->GetMemoryUsage(&saved).ok());
  EXPECT_LT(saved.lower_bound_bytes, plain.lower_bound_bytes);
  EXPECT_EQ(RunOnce(*saving), want) << "the second run";
}

TEST(Guard, DeadBytesAreNotRead) {
  const auto model = Network().Load();
  const std::vector<float> want =
      RunOnce(*Create(model, Config("offsets/NAIVE", false)));
  for (const char* strategy : {"offsets/NAIVE", "offsets/GREEDY_BY_SIZE"}) {
    MaceEngineConfig config = Config(strategy, true);
    config.SetGuard(true);
    const auto engine = Create(model, config);
    EXPECT_EQ(RunOnce(*engine), want) << strategy;
    EXPECT_EQ(RunOnce(*engine), want) << strategy;
  }
}

TEST(Guard, PoisonsTheArena) {
  MaceEngineConfig config = Config("offsets/NAIVE", false);
  config.SetGuard(true);
  size_t bytes = 0;
  const auto model = Network().Load();
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, config, &bytes).ok());
  std::unique_ptr<char, decltype(&std::free)> arena(
      static_cast<char*>(std::aligned_alloc(64, bytes)), std::free);
  ASSERT_TRUE(config.SetArena(arena.get(), bytes).ok());
  const auto engine = Create(model, config);
  RunOnce(*engine);
  // At the end nothing is live: every byte has the guard's value.
  EXPECT_EQ(std::string(arena.get(), bytes), std::string(bytes, '\xff'));
}

TEST(Savings, PreserveAllKeepsEveryTensor) {
  const auto model = Network().Load();
  const auto engine = Create(model, Config("PRESERVE_ALL", true));
  EXPECT_EQ(RunOnce(*engine),
            RunOnce(*Create(model, Config("offsets/NAIVE", false))));
  MaceMemoryUsage usage;
  ASSERT_TRUE(engine->GetMemoryUsage(&usage).ok());
  EXPECT_GE(usage.head_bytes, usage.categories[0].requested_bytes);
}

TEST(Arena, OfTheCaller) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config("offsets/GREEDY_BY_SIZE", true);
  size_t bytes = 0;
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, config, &bytes).ok());
  ASSERT_GT(bytes, 0u);
  std::unique_ptr<char, decltype(&std::free)> arena(
      static_cast<char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)),
      std::free);
  // Bytes beyond the arena stay untouched.
  for (size_t i = 0; i < 64; ++i) arena.get()[bytes + i] = 'g';
  ASSERT_TRUE(config.SetArena(arena.get(), bytes).ok());
  const auto engine = Create(model, config);
  EXPECT_EQ(RunOnce(*engine),
            RunOnce(*Create(model, Config("offsets/NAIVE", false))));
  EXPECT_EQ(std::string(arena.get() + bytes, 64), std::string(64, 'g'));

  std::shared_ptr<MaceEngine> none;
  ASSERT_TRUE(config.SetArena(arena.get(), bytes - 1).ok());
  MaceStatus status = MaceEngine::Create(model, {}, {}, config, &none);
  EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(status.information().find("need " + std::to_string(bytes)),
            std::string::npos)
      << status.information();
  EXPECT_NE(config.SetArena(arena.get() + 1, bytes)
                .information()
                .find("1 bytes after a 64-byte boundary"),
            std::string::npos);
  EXPECT_FALSE(config.SetArena(nullptr, bytes).ok());
  // A larger shape does not fit, and the engine stays usable.
  const MaceTensor large =
      FloatTensor({1, 16, 16, 4}, std::vector<float>(1024, 1));
  std::map<std::string, MaceTensor> outputs;
  EXPECT_EQ(engine->Run({{"x", large}}, &outputs).code(),
            MaceStatus::MACE_OUT_OF_RESOURCES);
  outputs.clear();
  EXPECT_TRUE(engine->Run({{"x", Picture()}}, &outputs).ok());
}

TEST(Arena, ShapesThatDoNotFitReplaceNoPlan) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config("offsets/GREEDY_BY_SIZE", true);
  size_t bytes = 0;
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, config, &bytes).ok());
  const std::unique_ptr<char, decltype(&std::free)> arena(
      static_cast<char*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)),
      std::free);
  ASSERT_TRUE(config.SetArena(arena.get(), bytes).ok());
  const auto engine = Create(model, config);
  static int num_plans;
  num_plans = 0;
  SetLogCallback(
      [](MaceLogLevel, const char* text, void*) {
        num_plans += std::strncmp(text, "planned ", 8) == 0;
      },
      nullptr, MACE_LOG_VERBOSE_1);
  const auto run = [&](int64_t height) {
    std::map<std::string, MaceTensor> outputs;
    return engine
        ->Run({{"x", FloatTensor({1, height, 8, 4},
                                 std::vector<float>(height * 32, 1))}},
              &outputs)
        .code();
  };
  for (int64_t height = 8; height > 0; --height) {
    EXPECT_EQ(run(height), MaceStatus::MACE_SUCCESS) << height;
  }
  EXPECT_EQ(run(32), MaceStatus::MACE_OUT_OF_RESOURCES);
  const int before = num_plans;
  EXPECT_EQ(run(8), MaceStatus::MACE_SUCCESS);
  EXPECT_EQ(num_plans, before) << "its plan is still there";
  EXPECT_EQ(run(7), MaceStatus::MACE_SUCCESS);
  EXPECT_EQ(num_plans, before);
  SetLogCallback(nullptr, nullptr);
  EXPECT_GE(before, 7) << "the log tells of plans";
}

TEST(Arena, NothingIsAllocatedAfterCreation) {
#ifndef COUNT_ALLOCATIONS
  GTEST_SKIP() << "this build: a sanitizer has its own allocator";
#else
  const auto model = Network().Load();
  for (int threads : {1, 2}) {
    const auto engine =
        Create(model, Config("offsets/GREEDY_BY_SIZE", true, threads));
    const std::map<std::string, MaceTensor> inputs = {{"x", Picture()}};
    std::map<std::string, MaceTensor> outputs = {
        {"y", FloatTensor({2, 512}, std::vector<float>(1024))}};
    g_allocations = 0;
    g_counting = true;
    const MaceStatus status = engine->Run(inputs, &outputs);
    g_counting = false;
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(g_allocations, 0) << threads << " threads";
    g_counting = true;
    std::free(std::malloc(1));
    g_counting = false;
    EXPECT_EQ(g_allocations, 1) << "the counter works";
  }
#endif
}

// Stores the offsets that the engine itself planned in the model, as a
// converter does.
void EmbedPlan(const MaceEngine& engine, proto::NetDef& net) {
  std::string json;
  ASSERT_TRUE(engine.Dump("memory_json", &json).ok());
  const auto number = [&](const std::string& key) {
    const size_t at = json.find("\"" + key + "\": ");
    return std::strtoull(json.c_str() + at + key.size() + 4, nullptr, 10);
  };
  auto* plan = net.mutable_memory_plan();
  plan->Clear();
  plan->set_version(1);
  plan->set_records_hash(number("records_hash"));
  plan->set_total_bytes(static_cast<int64_t>(number("total_size")));
  plan->set_lower_bound_bytes(static_cast<int64_t>(number("bound")));
  const char* p = std::strstr(json.c_str(), "\"offsets\": [") + 12;
  while (*p != ']') {
    char* end;
    plan->add_offsets(std::strtoll(p, &end, 10));
    p = *end == ',' ? end + 1 : end;
  }
}

bool UsesEmbeddedPlan(const MaceEngine& engine) {
  std::string json;
  EXPECT_TRUE(engine.Dump("memory_json", &json).ok());
  return json.find("\"embedded_plan\": true") != std::string::npos;
}

TEST(EmbeddedPlan, UsedWhenItFits) {
  const MaceEngineConfig config = Config("offsets/GREEDY_BY_SIZE", true);
  ModelBuilder b = Network();
  const auto plain = Create(b.Load(), config);
  EXPECT_FALSE(UsesEmbeddedPlan(*plain));
  EmbedPlan(*plain, b.net());
  const auto engine = Create(b.Load(), config);
  EXPECT_TRUE(UsesEmbeddedPlan(*engine));
  EXPECT_EQ(RunOnce(*engine), RunOnce(*plain));
  // A plan for other records is ignored, and memory is planned as usual.
  EXPECT_FALSE(
      UsesEmbeddedPlan(*Create(b.Load(), Config("offsets/NAIVE", false))));
}

TEST(EmbeddedPlan, RefusedWhenItIsWrong) {
  const MaceEngineConfig config = Config("offsets/GREEDY_BY_SIZE", true);
  ModelBuilder sound = Network();
  const auto plain = Create(sound.Load(), config);
  EmbedPlan(*plain, sound.net());
  const auto refused = [&](void (*spoil)(proto::MemoryPlan&)) {
    ModelBuilder b = Network();
    *b.net().mutable_memory_plan() = sound.net().memory_plan();
    spoil(*b.net().mutable_memory_plan());
    const auto engine = Create(b.Load(), config);
    EXPECT_EQ(RunOnce(*engine), RunOnce(*plain));
    return !UsesEmbeddedPlan(*engine);
  };
  EXPECT_TRUE(refused([](proto::MemoryPlan& p) { p.set_records_hash(1); }));
  EXPECT_TRUE(refused([](proto::MemoryPlan& p) { p.set_version(2); }));
  EXPECT_TRUE(
      refused([](proto::MemoryPlan& p) { p.mutable_offsets()->RemoveLast(); }));
  EXPECT_TRUE(refused([](proto::MemoryPlan& p) {
    for (auto& offset : *p.mutable_offsets()) offset = 0;
  })) << "overlaps";
  EXPECT_TRUE(refused([](proto::MemoryPlan& p) { p.set_offsets(0, 1 << 20); }));
  EXPECT_TRUE(refused([](proto::MemoryPlan& p) { p.set_offsets(0, 4); }));
}

TEST(EmbeddedPlan, Partial) {
  const MaceEngineConfig config = Config("offsets/GREEDY_BY_SIZE", true);
  ModelBuilder b = Network();
  const auto plain = Create(b.Load(), config);
  EmbedPlan(*plain, b.net());
  b.net().mutable_memory_plan()->set_offsets(0, -1);
  const auto engine = Create(b.Load(), config);
  EXPECT_EQ(RunOnce(*engine), RunOnce(*plain));
}

TEST(Usage, AddsUp) {
  const auto engine =
      Create(Network().Load(), Config("offsets/GREEDY_BY_SIZE", true));
  MaceMemoryUsage usage;
  ASSERT_TRUE(engine->GetMemoryUsage(&usage).ok());
  std::map<std::string, MaceMemoryCategory> by_name;
  for (const auto& c : usage.categories) by_name[c.name] = c;
  EXPECT_EQ(by_name["weights"].count, 3);
  EXPECT_EQ(by_name["weights"].requested_bytes, 4 * (8 * 4 + 64 + 72));
  EXPECT_EQ(by_name["activations"].used_bytes + by_name["scratch"].used_bytes,
            usage.head_bytes);
  EXPECT_LE(usage.peak_bytes, usage.categories[0].requested_bytes +
                                  usage.categories[1].requested_bytes);
  EXPECT_FALSE(usage.peak_node.empty());
  ASSERT_FALSE(usage.peak_holders.empty());
  EXPECT_EQ(engine->GetMemoryUsage(nullptr).code(),
            MaceStatus::MACE_INVALID_ARGS);
}

}  // namespace
}  // namespace mace::testing
