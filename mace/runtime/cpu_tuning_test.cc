// Engines tuned on the CPU: what they measure, what they store, and their
// results.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// In milliseconds; more than measuring takes.
constexpr int kAmple = 600000;
const Shape kShape = {1, 14, 14, 32};

std::vector<float> Floats(int64_t n, int64_t seed) {
  std::vector<float> v(n);
  for (int64_t i = 0; i < n; ++i) {
    v[i] = static_cast<float>((i * 7919 + seed) % 101 - 50) * 0.02f;
  }
  return v;
}

// A 3x3 convolution, three nodes that fuse, and a matrix product.
std::shared_ptr<MaceModel> Network() {
  const AttrMap same = {{"padding", int64_t{1}},
                        {"activation", std::string("RELU")}};
  return ModelBuilder()
      .Input("x", kShape)
      .Weight("w", {32, 32, 3, 3}, Floats(32 * 32 * 9, 1))
      .Weight("e", {96, 32, 1, 1}, Floats(96 * 32, 2))
      .Weight("d", {1, 96, 3, 3}, Floats(96 * 9, 3))
      .Weight("p", {24, 96, 1, 1}, Floats(24 * 96, 4))
      .Op("Conv2d", {"x", "w"}, {"c"}, same)
      .Op("Conv2d", {"c", "e"}, {"ce"}, same)
      .Op("DepthwiseConv2d", {"ce", "d"}, {"cd"}, same)
      .Op("Conv2d", {"cd", "p"}, {"y"})
      .Output("y")
      .Load();
}

class CpuTuning : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/cpu_tuning" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ + "/tuned.bin";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  MaceEngineConfig Config(int budget_ms, int threads = 1) const {
    MaceEngineConfig config;
    EXPECT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
    EXPECT_TRUE(config.SetTuning(budget_ms, file_).ok());
    return config;
  }
  static std::shared_ptr<MaceEngine> Create(const MaceEngineConfig& config) {
    std::shared_ptr<MaceEngine> engine;
    const MaceStatus status =
        MaceEngine::Create(Network(), {}, {}, config, &engine);
    EXPECT_TRUE(status.ok()) << status.information();
    return engine;
  }
  std::shared_ptr<MaceEngine> Create(int budget_ms, int threads = 1) const {
    return Create(Config(budget_ms, threads));
  }
  static int64_t Measurements(const MaceEngine& engine) {
    MaceDeviceCounts counts;
    EXPECT_TRUE(engine.GetDeviceCounts(&counts).ok());
    return counts.measurements;
  }
  static int64_t PackedBytes(const MaceEngine& engine) {
    MaceMemoryUsage usage;
    EXPECT_TRUE(engine.GetMemoryUsage(&usage).ok());
    for (const MaceMemoryCategory& c : usage.categories) {
      if (c.name == "packed_weights") return c.used_bytes;
    }
    return -1;
  }
  static std::vector<float> Run(MaceEngine& engine,
                                RunMetadata* metadata = nullptr) {
    std::map<std::string, MaceTensor> outputs;
    const MaceTensor x = FloatTensor(kShape, Floats(14 * 14 * 32, 5));
    const MaceStatus status = engine.Run({{"x", x}}, &outputs, metadata);
    EXPECT_TRUE(status.ok()) << status.information();
    return Values(outputs["y"]);
  }
  // Returns who chose the kernels of the steps, each name once.
  static std::vector<std::string> Choosers(MaceEngine& engine) {
    RunMetadata metadata;
    Run(engine, &metadata);
    std::vector<std::string> names;
    for (const OperatorStats& op : metadata.op_stats) {
      names.push_back(op.chosen_by);
    }
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  std::string folder_, file_;
};

TEST_F(CpuTuning, MeasuresOnceAndKeepsIt) {
  const auto plain = Create(0);
  EXPECT_EQ(Measurements(*plain), 0);
  EXPECT_EQ(Choosers(*plain), std::vector<std::string>{"model"});
  EXPECT_FALSE(std::filesystem::exists(file_));
  const auto tuned = Create(kAmple);
  EXPECT_GT(Measurements(*tuned), 10);
  EXPECT_EQ(Choosers(*tuned), std::vector<std::string>{"tuned"});
  const std::vector<float> y = Run(*tuned), want = Run(*plain);
  ASSERT_EQ(y.size(), want.size());
  float largest = 0;
  for (const float v : want) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_NEAR(y[i], want[i], 5e-6f * largest) << i;
  }
  for (const int budget_ms : {kAmple, 0}) {
    const auto warm = Create(budget_ms);
    EXPECT_EQ(Measurements(*warm), 0);
    EXPECT_EQ(Choosers(*warm), std::vector<std::string>{"kept"});
    EXPECT_EQ(Run(*warm), y);
    // The packed weights of rejected candidates are freed.
    EXPECT_EQ(PackedBytes(*warm), PackedBytes(*tuned));
  }
}

TEST_F(CpuTuning, TellsWhatItTried) {
  std::string table;
  ASSERT_TRUE(Create(kAmple)->Dump("tuning", &table).ok());
  EXPECT_NE(table.find("tried [method"), std::string::npos) << table;
  EXPECT_NE(table.find("tuned, "), std::string::npos) << table;
  ASSERT_TRUE(Create(0)->Dump("tuning", &table).ok());
  EXPECT_NE(table.find("kept, "), std::string::npos) << table;
  EXPECT_EQ(table.find("tried"), std::string::npos) << table;
}

TEST_F(CpuTuning, AnotherNumberOfThreadsIsMeasuredAnew) {
  EXPECT_GT(Measurements(*Create(kAmple, 1)), 0);
  EXPECT_GT(Measurements(*Create(kAmple, 2)), 0);
  EXPECT_EQ(Measurements(*Create(kAmple, 1)), 0);
  EXPECT_EQ(Measurements(*Create(kAmple, 2)), 0);
}

TEST_F(CpuTuning, NeverWhatTheAccuracyForbids) {
  for (const int largest : {0, 2}) {
    MaceEngineConfig config = Config(kAmple);
    ASSERT_TRUE(config.SetWinograd(largest).ok());
    const auto engine = Create(config);
    EXPECT_GT(Measurements(*engine), 0);
    RunMetadata metadata;
    Run(*engine, &metadata);
    std::string table;
    ASSERT_TRUE(engine->Dump("tuning", &table).ok());
    for (const char* tile : {"winograd 2:", "winograd 4:", "winograd 6:"}) {
      const bool may = largest == 2 && tile[9] == '2';
      EXPECT_TRUE(may || table.find(tile) == std::string::npos) << table;
    }
  }
}

TEST_F(CpuTuning, DamagedResultsAreMeasuredAgain) {
  EXPECT_GT(Measurements(*Create(kAmple)), 0);
  std::fstream damage(file_, std::ios::in | std::ios::out | std::ios::binary);
  damage.seekp(100);
  damage.put('!');
  damage.close();
  EXPECT_EQ(Choosers(*Create(0)), std::vector<std::string>{"model"});
  EXPECT_GT(Measurements(*Create(kAmple)), 0);
  EXPECT_EQ(Measurements(*Create(kAmple)), 0);
  std::ofstream(file_) << "not a store";
  EXPECT_GT(Measurements(*Create(kAmple)), 0);
}

TEST_F(CpuTuning, AFileThatCannotBeWrittenCostsOnlyTheKeeping) {
  file_ = folder_ + "/no/such/folder/tuned.bin";
  EXPECT_GT(Measurements(*Create(kAmple)), 0);
  EXPECT_FALSE(Run(*Create(kAmple)).empty());
}

TEST_F(CpuTuning, ANewShapeIsTunedWhenItComes) {
  const auto engine = Create(kAmple);
  const int64_t before = Measurements(*engine);
  std::map<std::string, MaceTensor> outputs;
  const Shape taller = {1, 20, 14, 32};
  const MaceTensor x = FloatTensor(taller, Floats(20 * 14 * 32, 6));
  ASSERT_TRUE(engine->Run({{"x", x}}, &outputs).ok());
  EXPECT_GT(Measurements(*engine), before);
}

}  // namespace
}  // namespace mace::testing
