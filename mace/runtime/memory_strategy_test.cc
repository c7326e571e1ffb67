// The memory of engines on the CPU: every strategy, offline plans, the sections
// of the caller's arena, and the usage report.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;
using nlohmann::json;

// Three convolutions of different sizes, a sum of the first and the last, and a
// node whose inputs are constants: the plan owns its result.
ModelBuilder Network() {
  const auto floats = [](int64_t n, float step) {
    std::vector<float> v(n);
    for (int64_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 7 - 3) * step;
    return v;
  };
  const AttrMap same = {{"strides", Ints{1, 1}}, {"padding", int64_t{1}}};
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .Weight("w1", {6, 4, 1, 1}, floats(24, 0.1f))
      .Weight("w2", {10, 6, 3, 3}, floats(540, 0.2f))
      .Weight("w3", {6, 10, 1, 1}, floats(60, 0.3f))
      .Weight("k1", {1, 1, 1, 6}, floats(6, 1))
      .Weight("k2", {1, 1, 1, 6}, floats(6, 2))
      .Op("Conv2d", {"x", "w1"}, {"a"}, same)
      .Op("Conv2d", {"a", "w2"}, {"b"}, same)
      .Op("Conv2d", {"b", "w3"}, {"c"}, same)
      .Op("Eltwise", {"a", "c"}, {"d"}, {{"type", std::string("SUM")}})
      .Op("Eltwise", {"k1", "k2"}, {"k"}, {{"type", std::string("SUM")}})
      .Op("Eltwise", {"d", "k"}, {"y"}, {{"type", std::string("PROD")}})
      .Output("y");
  return b;
}

MaceTensor Picture(int64_t extent = 8) {
  std::vector<float> v(extent * extent * 4);
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 11) - 5;
  return FloatTensor({1, extent, extent, 4}, v);
}

MaceEngineConfig Config(const std::string& strategy = "AUTO") {
  MaceEngineConfig config;
  EXPECT_TRUE(config.SetCPUThreadPolicy(1, AFFINITY_NONE).ok());
  const MaceStatus status = config.SetMemoryStrategy(strategy);
  EXPECT_TRUE(status.ok()) << status.information();
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

std::vector<float> RunOnce(MaceEngine& engine, int64_t extent = 8) {
  std::map<std::string, MaceTensor> outputs;
  const MaceTensor picture = Picture(extent);
  const MaceStatus status = engine.Run({{"x", picture}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(Values(picture), Values(Picture(extent)))
      << "inputs are never written to";
  return Values(outputs["y"]);
}

json MemoryOf(const MaceEngine& engine) {
  std::string text;
  EXPECT_TRUE(engine.Dump("memory_json", &text).ok());
  return json::parse(text);
}

MaceMemoryUsage UsageOf(const MaceEngine& engine) {
  MaceMemoryUsage usage;
  EXPECT_TRUE(engine.GetMemoryUsage(&usage).ok());
  return usage;
}

MaceMemoryCategory CategoryOf(const MaceMemoryUsage& usage,
                              const std::string& name) {
  for (const MaceMemoryCategory& c : usage.categories) {
    if (c.name == name) return c;
  }
  ADD_FAILURE() << "no category " << name;
  return {};
}

// Returns the names that the message for an unknown one lists.
std::vector<std::string> StrategyNames() {
  MaceEngineConfig config;
  const std::string message = config.SetMemoryStrategy("none").information();
  std::istringstream list(message.substr(message.find("one of ") + 7));
  std::vector<std::string> names;
  for (std::string name; std::getline(list >> std::ws, name, ',');) {
    names.push_back(name);
  }
  return names;
}

TEST(Strategy, EveryNameRunsAndGivesTheSameBits) {
  const auto model = Network().Load();
  const std::vector<float> want = RunOnce(*Create(model, Config()));
  const std::vector<std::string> names = StrategyNames();
  EXPECT_GT(names.size(), 30u);
  for (const char* name : {"AUTO", "EQUALITY", "objects/MINCOSTFLOW"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  for (const std::string& name : names) {
    MaceEngineConfig config = Config(name);
    config.SetGuard(true);
    const auto engine = Create(model, config);
    ASSERT_NE(engine, nullptr) << name;
    EXPECT_EQ(RunOnce(*engine), want) << name;
    EXPECT_EQ(RunOnce(*engine), want) << name << ", again";
    const std::string planner = MemoryOf(*engine)["strategy"];
    if (name == "PRESERVE_ALL") {
      EXPECT_EQ(planner, "offsets/NAIVE");
    } else if (name == "GREEDY") {
      EXPECT_EQ(planner, "offsets/GREEDY_BY_SIZE");
    } else {
      EXPECT_EQ(planner.substr(planner.size() - name.size()), name);
    }
  }
}

TEST(Strategy, ObjectsShareWholePiecesOfTheArena) {
  const json memory =
      MemoryOf(*Create(Network().Load(), Config("objects/EQUALITY")));
  // Two records begin at the same byte or never share any.
  const auto& records = memory["records"];
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const int64_t a = memory["offsets"][i], b = memory["offsets"][k];
      if (a == b) {
        EXPECT_EQ((records[i]["size"].get<int64_t>() + 63) / 64,
                  (records[k]["size"].get<int64_t>() + 63) / 64);
        continue;
      }
      EXPECT_TRUE(a + records[i]["size"].get<int64_t>() <= b ||
                  b + records[k]["size"].get<int64_t>() <= a);
    }
  }
}

TEST(Strategy, PreserveAllKeepsEveryTensorToTheEnd) {
  const auto engine = Create(Network().Load(), Config("PRESERVE_ALL"));
  const json memory = MemoryOf(*engine);
  const size_t end = memory["steps"].size();
  int64_t sum = 0;
  for (const json& record : memory["records"]) {
    sum += (record["size"].get<int64_t>() + 63) / 64 * 64;
    const std::string name = record["name"];
    if (name.find("(scratch)") != std::string::npos) continue;
    EXPECT_EQ(record["last"], end) << name;
  }
  // No two tensors share a byte; the last one is not followed by padding.
  EXPECT_GE(sum, memory["total_size"].get<int64_t>());
  EXPECT_LT(sum - 64, memory["total_size"].get<int64_t>());
}

// The plan in a model file is for engines in which tensors share memory.
TEST(Strategy, PreserveAllDoesNotTakeThePlanOfTheFile) {
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .Op("Transpose", {"x"}, {"t"}, {{"dims", Ints{0, 2, 1, 3}}})
      .Op("Softmax", {"t"}, {"s"})
      .Op("Transpose", {"s"}, {"y"}, {{"dims", Ints{0, 2, 1, 3}}})
      .Output("y");
  MaceEngineConfig config = Config("PRESERVE_ALL");
  const json memory = MemoryOf(*Create(b.Load(), config));
  auto* plan = b.net().mutable_memory_plan();
  plan->set_version(1);
  plan->set_records_hash(memory["records_hash"].get<uint64_t>());
  plan->set_total_bytes(memory["total_size"].get<int64_t>());
  plan->set_lower_bound_bytes(memory["bound"].get<int64_t>());
  for (const json& offset : memory["offsets"]) {
    plan->add_offsets(offset.get<int64_t>());
  }
  EXPECT_FALSE(
      MemoryOf(*Create(b.Load(), config))["embedded_plan"].get<bool>());
}

// Counts the live bytes of the arena after each step in a map of its bytes.
int64_t PeakByMap(const json& memory) {
  int64_t peak = 0;
  const auto num_steps = static_cast<int64_t>(memory["steps"].size());
  for (int64_t step = 0; step <= num_steps; ++step) {
    std::vector<bool> live(memory["total_size"].get<size_t>());
    for (size_t r = 0; r < memory["records"].size(); ++r) {
      const json& record = memory["records"][r];
      if (record["first"] > step || record["last"] < step) continue;
      const auto begin = memory["offsets"][r].get<size_t>();
      std::fill_n(live.begin() + static_cast<ptrdiff_t>(begin),
                  record["size"].get<size_t>(), true);
    }
    peak = std::max<int64_t>(peak, std::count(live.begin(), live.end(), true));
  }
  return peak;
}

TEST(Usage, PeakAndFragmentationAreThoseOfTheBytes) {
  const auto model = Network().Load();
  for (const char* strategy :
       {"AUTO", "NAIVE", "EQUALITY", "MINCOSTFLOW", "PRESERVE_ALL"}) {
    const auto engine = Create(model, Config(strategy));
    const MaceMemoryUsage usage = UsageOf(*engine);
    EXPECT_EQ(usage.peak_bytes, PeakByMap(MemoryOf(*engine))) << strategy;
    EXPECT_LE(usage.peak_bytes, usage.head_bytes) << strategy;
    EXPECT_DOUBLE_EQ(usage.fragmentation,
                     1 - static_cast<double>(usage.peak_bytes) /
                             static_cast<double>(usage.head_bytes));
  }
  // In a chain of tensors of equal size two are live at a time.
  ModelBuilder chain;
  chain.Input("x", {1, 16, 16, 4})
      .Op("Transpose", {"x"}, {"a"}, {{"dims", Ints{0, 2, 1, 3}}})
      .Op("Transpose", {"a"}, {"b"}, {{"dims", Ints{0, 2, 3, 1}}})
      .Op("Transpose", {"b"}, {"c"}, {{"dims", Ints{0, 2, 1, 3}}})
      .Op("Transpose", {"c"}, {"y"}, {{"dims", Ints{0, 2, 1, 3}}})
      .Output("y");
  const auto naive = Create(chain.Load(), Config("NAIVE"));
  EXPECT_DOUBLE_EQ(UsageOf(*naive).fragmentation, 1 - 2.0 / 3);
}

// Bytes of an output that safely overlap its input count once.
TEST(Usage, SafeOverlapsCountOnce) {
  ModelBuilder b;
  b.Input("x", {1, 16, 16, 8})
      .Op("Transpose", {"x"}, {"t"}, {{"dims", Ints{0, 2, 1, 3}}})
      .Op("Pooling", {"t"}, {"p"},
          {{"pooling_type", int64_t{2}},
           {"kernels", Ints{2, 2}},
           {"strides", Ints{2, 2}},
           {"padding", int64_t{0}}})
      .Op("Softmax", {"p"}, {"y"})
      .Output("y");
  const auto engine = Create(b.Load(), Config());
  const MaceMemoryUsage usage = UsageOf(*engine);
  const json memory = MemoryOf(*engine);
  EXPECT_EQ(usage.peak_bytes, PeakByMap(memory));
  EXPECT_LE(usage.peak_bytes, usage.head_bytes);
}

TEST(Usage, ComputedConstantsArePersistent) {
  const auto engine = Create(Network().Load(), Config());
  const MaceMemoryUsage usage = UsageOf(*engine);
  const MaceMemoryCategory persistent = CategoryOf(usage, "persistent");
  EXPECT_EQ(persistent.count, 1);
  EXPECT_EQ(persistent.requested_bytes, 6 * 4);
  EXPECT_EQ(usage.tail_bytes, 64) << "in pieces of 64 bytes";
  EXPECT_EQ(usage.image_bytes, 0);
  EXPECT_EQ(CategoryOf(usage, "images").count, 0);
}

// A buffer of the caller's, followed by guard bytes.
class Arena {
 public:
  explicit Arena(size_t bytes)
      : bytes_(bytes),
        data_(
            static_cast<char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)),
            std::free) {
    std::memset(data_.get() + bytes, 'g', 64);
  }
  ~Arena() {
    EXPECT_EQ(std::string(data_.get() + bytes_, 64), std::string(64, 'g'));
  }
  void* data() const { return data_.get(); }

 private:
  size_t bytes_;
  std::unique_ptr<char, decltype(&std::free)> data_;
};

TEST(Sections, TheTailHoldsWhatPlansCompute) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config();
  size_t bytes = 0;
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, config, &bytes).ok());
  const Arena arena(bytes);
  ASSERT_TRUE(config.SetArena(arena.data(), bytes).ok());
  const auto engine = Create(model, config);
  EXPECT_EQ(RunOnce(*engine), RunOnce(*Create(model, Config())));
  const MaceMemoryUsage usage = UsageOf(*engine);
  EXPECT_EQ(usage.tail_bytes, 64);
  EXPECT_EQ(static_cast<int64_t>(bytes),
            (usage.head_bytes + 63) / 64 * 64 + usage.tail_bytes);
  // k = k1 + k2 lies at the end of the buffer.
  const auto* k = reinterpret_cast<const float*>(
      static_cast<const char*>(arena.data()) + bytes - 64);
  for (int i = 0; i < 6; ++i) {
    EXPECT_FLOAT_EQ(k[i], static_cast<float>(i - 3) * 3) << i;
  }
  std::shared_ptr<MaceEngine> none;
  ASSERT_TRUE(config.SetArena(arena.data(), bytes - 1).ok());
  const MaceStatus status = MaceEngine::Create(model, {}, {}, config, &none);
  EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(status.information().find("need " + std::to_string(bytes)),
            std::string::npos)
      << status.information();
}

TEST(Sections, QueryTakesShapes) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config();
  size_t own = 0, large = 0, small = 0;
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, config, &own).ok());
  const auto query = [&](const Ints& shape, size_t* bytes) {
    return MaceEngine::QueryArenaBytes(model, {}, config, {{"x", shape}},
                                       bytes);
  };
  ASSERT_TRUE(query({1, 16, 16, 4}, &large).ok());
  ASSERT_TRUE(query({1, 4, 4, 4}, &small).ok());
  // Four times the tensors, and the same scratch memory.
  EXPECT_GT(large, 2 * own);
  EXPECT_GE(small, own) << "the engine is created with the model's shapes";
  for (const auto& [bytes, extent] :
       {std::pair<size_t, int64_t>{large, 16}, {small, 4}}) {
    const Arena arena(bytes);
    ASSERT_TRUE(config.SetArena(arena.data(), bytes).ok());
    const auto engine = Create(model, config);
    const auto free = Create(model, Config());
    EXPECT_EQ(RunOnce(*engine, extent), RunOnce(*free, extent));
    EXPECT_EQ(RunOnce(*engine), RunOnce(*free));
  }
  // A buffer that is one byte too small makes Run fail, and the engine stays
  // usable.
  const Arena arena(large);
  ASSERT_TRUE(config.SetArena(arena.data(), large - 1).ok());
  const auto engine = Create(model, config);
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status = engine->Run({{"x", Picture(16)}}, &outputs);
  EXPECT_EQ(status.code(), MaceStatus::MACE_OUT_OF_RESOURCES);
  EXPECT_NE(status.information().find("need " + std::to_string(large)),
            std::string::npos)
      << status.information();
  EXPECT_EQ(RunOnce(*engine), RunOnce(*Create(model, Config())));

  EXPECT_NE(query({1, 16, 4}, &large).information().find("a shape like"),
            std::string::npos);
  EXPECT_EQ(
      MaceEngine::QueryArenaBytes(model, {}, config, {{"z", {1}}}, &own).code(),
      MaceStatus::MACE_INVALID_ARGS);
  EXPECT_FALSE(query({1, 16, 16, 5}, &large).ok()) << "other channels";
}

// When an engine drops a plan, the bytes of its constants are free again.
TEST(Sections, ManyShapesFitForEver) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config();
  size_t bytes = 0;
  ASSERT_TRUE(MaceEngine::QueryArenaBytes(model, {}, config,
                                          {{"x", {1, 40, 40, 4}}}, &bytes)
                  .ok());
  bytes += 10 * 64;
  const Arena arena(bytes);
  ASSERT_TRUE(config.SetArena(arena.data(), bytes).ok());
  const auto engine = Create(model, config);
  const auto free = Create(model, Config());
  for (int64_t extent = 1; extent <= 40; ++extent) {
    ASSERT_EQ(RunOnce(*engine, extent), RunOnce(*free, extent)) << extent;
  }
}

std::vector<int32_t> WordsOf(const json& memory) {
  std::vector<int32_t> words = {1, 0,
                                static_cast<int32_t>(memory["offsets"].size())};
  for (const json& offset : memory["offsets"]) {
    words.push_back(offset.get<int32_t>());
  }
  return words;
}

TEST(OfflinePlan, IsWhereTensorsLie) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config();
  const auto own = Create(model, config);
  std::vector<int32_t> words = WordsOf(MemoryOf(*own));
  ASSERT_GT(words.size(), 4u);
  // A plan that no strategy makes: everything lies 4096 bytes higher.
  for (size_t k = 3; k < words.size(); ++k) words[k] += 4096;
  ASSERT_TRUE(config.SetOfflineMemoryPlan(words).ok());
  const auto engine = Create(model, config);
  EXPECT_EQ(WordsOf(MemoryOf(*engine)), words);
  EXPECT_EQ(RunOnce(*engine), RunOnce(*own));
  EXPECT_EQ(RunOnce(*engine, 16), RunOnce(*own, 16)) << "planned as usual";
  // One offset is left to the strategy.
  std::vector<int32_t> partial = words;
  partial[3] = -1;
  ASSERT_TRUE(config.SetOfflineMemoryPlan(partial).ok());
  const auto mixed = Create(model, config);
  EXPECT_EQ(RunOnce(*mixed), RunOnce(*own));
  EXPECT_EQ(WordsOf(MemoryOf(*mixed))[4], words[4]);
}

TEST(OfflinePlan, RefusedWhereItDoesNotFit) {
  const auto model = Network().Load();
  MaceEngineConfig config = Config();
  const std::vector<int32_t> good = WordsOf(MemoryOf(*Create(model, config)));
  const auto message = [&](const std::vector<int32_t>& words,
                           const std::string& strategy = "AUTO") {
    MaceEngineConfig other = Config(strategy);
    MaceStatus status = other.SetOfflineMemoryPlan(words);
    std::shared_ptr<MaceEngine> engine;
    if (status.ok()) {
      status = MaceEngine::Create(model, {}, {}, other, &engine);
    }
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    return status.information();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  std::vector<int32_t> words = good;
  words[0] = 2;
  has(message(words), "version 2");
  words = good;
  words[1] = 1;
  has(message(words), "subgraph 1");
  words = good;
  words[3] = 4;
  has(message(words), "not a multiple of its alignment 64");
  words[3] = -2;
  has(message(words), "-1 or more");
  words = good;
  std::fill(words.begin() + 3, words.end(), 0);
  has(message(words), "collides with");
  words = good;
  words.push_back(0);
  has(message(words), "the number says");
  ++words[2];
  has(message(words), "tensors");
  has(message({1, 0}), "2 words");
  EXPECT_TRUE(config.SetOfflineMemoryPlan({}).ok()) << "none again";
}

}  // namespace
}  // namespace mace::testing
