// Settings by name and as text, those that a model carries, and whose values
// have priority.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/settings.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mace/public/mace.h"
#include "mace/runtime/settings/config.h"
#include "mace/runtime/settings/setting_values.h"
#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Names = std::vector<std::string>;

// x -> conv -> relu -> conv -> sigmoid -> y, with 16 channels: Winograd's
// method pays for the convolution.
ModelBuilder Network() {
  std::vector<float> w(16 * 16 * 9);
  for (size_t i = 0; i < w.size(); ++i) {
    w[i] = static_cast<float>(static_cast<int>(i * 7919 % 101) - 50) / 37;
  }
  ModelBuilder b;
  b.Input("x", {1, 32, 32, 16})
      .Weight("w", {16, 16, 3, 3}, w)
      .Op("Conv2d", {"x", "w"}, {"conv"}, {{"padding", int64_t{1}}})
      .Op("Activation", {"conv"}, {"relu"},
          {{"activation", std::string("RELU")}})
      .Op("Activation", {"relu"}, {"y"},
          {{"activation", std::string("SIGMOID")}})
      .Output("y");
  return b;
}

proto::Setting* Add(ModelBuilder& b, const std::string& name,
                    bool changes_results = false) {
  proto::Setting* setting = b.net().add_settings();
  setting->set_name(name);
  setting->set_changes_results(changes_results);
  return setting;
}

MaceStatus Load(ModelBuilder& b) {
  const std::vector<unsigned char> graph = b.Graph();
  std::shared_ptr<MaceModel> model;
  return MaceModel::Load(graph.data(), graph.size(), b.Data(), b.data_size(),
                         &model);
}

// Returns an engine that runs on one thread.
std::shared_ptr<MaceEngine> Create(
    ModelBuilder& b, const MaceEngineConfig& with = MaceEngineConfig()) {
  MaceEngineConfig config = with;
  EXPECT_TRUE(config.SetCPUThreadPolicy(1, AFFINITY_NONE).ok());
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(b.Load(), {}, {}, config, &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return engine;
}

std::vector<float> Results(MaceEngine& engine) {
  std::vector<float> x(32 * 32 * 16);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(static_cast<int>(i * 31 % 17) - 8) / 900;
  }
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status =
      engine.Run({{"x", FloatTensor({1, 32, 32, 16}, x)}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return Values(outputs["y"]);
}

std::string PlanOf(const MaceEngine& engine) {
  std::string plan;
  EXPECT_TRUE(engine.Dump("memory_json", &plan).ok());
  return plan;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Settings, DescriptionsAreSound) {
  std::set<std::string> names, flags, keys;
  for (const SettingInfo& info : AllSettings()) {
    const Setting& s = info.setting;
    SCOPED_TRACE(s.name);
    EXPECT_TRUE(names.insert(s.name).second);
    EXPECT_TRUE(flags.insert(s.flag).second);
    EXPECT_TRUE(s.yaml.empty() || keys.insert(s.yaml).second);
    EXPECT_EQ(s.yaml.empty(), s.example.empty());
    EXPECT_FALSE(s.doc.empty());
    EXPECT_TRUE(s.device == "" || s.device == "cpu" || s.device == "gpu" ||
                s.device == "dsp");
    if (!info.initial) continue;
    const auto parsed = ParseSetting(info, ToText(*info.initial));
    ASSERT_TRUE(parsed.ok()) << parsed.status().information();
    EXPECT_EQ(*parsed, *info.initial);
    EXPECT_TRUE(ChosenSettings().Set(s.name, *info.initial).ok());
  }
}

TEST(Settings, TextsSetFields) {
  ChosenSettings chosen;
  const Settings& values = chosen.values;
  for (const auto& [name, text] :
       std::vector<std::pair<const char*, const char*>>{
           {"num_threads", "3"},
           {"winograd", "6"},
           {"guard", "1"},
           {"memory_limit", "9223372036854775807"},
           {"float32_nodes", "a,b/c"},
           {"memory_savings", "overlap,views"},
           {"memory_strategy", "NAIVE"},
           {"tuning_file", "/a b"}}) {
    const Status status = chosen.SetText(name, text);
    EXPECT_TRUE(status.ok()) << status.information();
  }
  EXPECT_EQ(values.num_threads, 3);
  EXPECT_EQ(values.winograd, 6);
  EXPECT_TRUE(values.guard);
  EXPECT_EQ(values.memory_limit, INT64_MAX);
  EXPECT_EQ(values.float32_nodes, (Names{"a", "b/c"}));
  EXPECT_EQ(values.memory_savings, (Names{"overlap", "views"}));
  EXPECT_EQ(values.memory_strategy, "NAIVE");
  EXPECT_EQ(values.tuning_file, "/a b");
  EXPECT_TRUE(chosen.SetText("memory_savings", "none").ok());
  EXPECT_TRUE(values.memory_savings.empty());
  EXPECT_TRUE(chosen.SetText("num_threads", "-1").ok());
}

TEST(Settings, WrongTextsAreRefusedAndChangeNothing) {
  const struct {
    const char *name, *text, *message;
  } kCases[] = {
      {"winograd", "3", "winograd: '3' is not one of 0, 1, 2, 4, 6"},
      {"winograd", "", "winograd: '' is not one of"},
      {"num_threads", "0",
       "num_threads: '0' is not -1, or a whole number from 1 to 1024"},
      {"num_threads", "2x", "'2x' is not -1, or a whole"},
      {"num_threads", " 2", "' 2' is not"},
      {"memory_limit", "9223372036854775808", "is not a whole number from 0"},
      {"memory_limit", "-1", "memory_limit: '-1' is not a whole number from 0"},
      {"guard", "2", "guard: '2' is not 0 or 1"},
      {"guard", "yes", "guard: 'yes' is not 0 or 1"},
      {"memory_strategy", "GREEDILY",
       "memory_strategy: 'GREEDILY' is not one of"},
      {"memory_savings", "none,order", "'none' stands alone"},
      {"memory_savings", "order,none", "'none' stands alone"},
      {"memory_savings", "order,order", "'order' appears twice"},
      {"memory_savings", "ordr",
       "memory_savings: 'ordr' is not one of order, "},
      {"float32_nodes", "a,,b", "float32_nodes: an item is empty"},
      {"frobnicate", "1",
       "there is no setting 'frobnicate'; the settings are num_thr"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    MaceEngineConfig config;
    const MaceStatus status = config.Set(c.name, c.text);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_TRUE(Holds(status.information(), c.message)) << status.information();
    ChosenSettings chosen, untouched;
    EXPECT_FALSE(chosen.SetText(c.name, c.text).ok());
    EXPECT_EQ(chosen.values.memory_savings, untouched.values.memory_savings);
    EXPECT_EQ(chosen.values.num_threads, untouched.values.num_threads);
    EXPECT_FALSE(chosen.values.winograd);
  }
}

TEST(Settings, ASetterOfTwoChangesBothOrNone) {
  MaceEngineConfig config;
  EXPECT_FALSE(config.SetGPULimits(5, -1).ok());
  EXPECT_FALSE(config.SetTuning(-1, "file").ok());
}

TEST(Settings, AnEngineTakesThoseOfTheModel) {
  ModelBuilder with_none = Network(), with_six = Network();
  Add(with_none, "winograd", true)->set_i(0);
  Add(with_six, "winograd", true)->set_i(6);
  const std::vector<float> none = Results(*Create(with_none));
  const std::vector<float> six = Results(*Create(with_six));
  ModelBuilder without = Network(), with_one = Network();
  Add(with_one, "winograd", true)->set_i(1);
  EXPECT_EQ(Results(*Create(with_one)), Results(*Create(without)));
  EXPECT_NE(Results(*Create(with_one)), none);
  EXPECT_NE(none, six) << "the network does not tell these settings apart";
  for (const auto& [tile, want] : {std::pair("0", none), std::pair("6", six)}) {
    ModelBuilder plain = Network();
    MaceEngineConfig config;
    ASSERT_TRUE(config.Set("winograd", tile).ok());
    EXPECT_EQ(Results(*Create(plain, config)), want);
    // The caller's setting has priority over the model's.
    EXPECT_EQ(Results(*Create(with_none, config)), want);
    EXPECT_EQ(Results(*Create(with_six, config)), want);
  }
}

TEST(Settings, TheModelSaysHowMemoryIsPlanned) {
  ModelBuilder plain = Network(), keeps = Network();
  Add(keeps, "memory_strategy")->set_s("PRESERVE_ALL");
  const auto arena = [](ModelBuilder& b, const MaceEngineConfig& config) {
    size_t bytes = 0;
    EXPECT_TRUE(MaceEngine::QueryArenaBytes(b.Load(), {}, config, &bytes).ok());
    return bytes;
  };
  EXPECT_GT(arena(keeps, MaceEngineConfig()), arena(plain, MaceEngineConfig()));
  MaceEngineConfig config;
  ASSERT_TRUE(config.SetMemoryStrategy("AUTO").ok());
  EXPECT_EQ(arena(keeps, config), arena(plain, config));
  EXPECT_NE(PlanOf(*Create(keeps)), PlanOf(*Create(keeps, config)));
}

TEST(Settings, NodesThatStayInFloat32ComeWithTheModel) {
  ModelBuilder b = Network();
  Add(b, "float32_nodes", true)->mutable_strings()->add_items("conv");
  Create(b);
  b.net().mutable_settings(0)->mutable_strings()->add_items("conv9");
  const MaceStatus status = Load(b);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
  EXPECT_TRUE(Holds(status.information(),
                    "float32_nodes: the model has no node named 'conv9'"))
      << status.information();
}

TEST(Settings, OfLaterReleasesAreRefusedIfResultsDependOnThem) {
  for (const bool changes_results : {false, true}) {
    ModelBuilder unknown = Network(), wrong = Network(),
                 not_of_models = Network();
    Add(unknown, "rounding", changes_results)->set_s("up");
    Add(wrong, "memory_strategy", changes_results)->set_s("MAGIC");
    // Where files are written and what is checked is for an app to say, not for
    // a file.
    Add(not_of_models, "tuning_file", changes_results)->set_s("/etc/passwd");
    for (ModelBuilder* b : {&unknown, &wrong, &not_of_models}) {
      const MaceStatus status = Load(*b);
      EXPECT_EQ(status.code(), changes_results ? MaceStatus::MACE_UNSUPPORTED
                                               : MaceStatus::MACE_SUCCESS);
      if (!changes_results) continue;
      EXPECT_TRUE(
          Holds(status.information(),
                "the model's setting '" + b->net().settings(0).name() + "'") &&
          Holds(status.information(), "use a release that knows it"))
          << status.information();
    }
  }
  // This holds whatever else the file says, because it may be damaged.
  ModelBuilder tile = Network(), type = Network();
  Add(tile, "winograd")->set_i(8);
  Add(type, "winograd")->set_s("2");
  for (ModelBuilder* b : {&tile, &type}) {
    EXPECT_EQ(Load(*b).code(), MaceStatus::MACE_UNSUPPORTED);
  }
}

// A file that the converter wrote in version 1 of the format, with fp16 weights
// and without Winograd's method. It loads with its own input shape and gives
// the results that NumPy computed.
TEST(Settings, AFileOfVersion1StillRuns) {
  const std::string folder = "mace/runtime/testdata/";
  std::shared_ptr<MaceModel> model;
  MaceStatus status =
      MaceModel::Load(folder + "format_1.pb", folder + "format_1.data", &model);
  ASSERT_TRUE(status.ok()) << status.information();
  std::shared_ptr<MaceEngine> engine;
  status = MaceEngine::Create(model, {}, {}, MaceEngineConfig(), &engine);
  ASSERT_TRUE(status.ok()) << status.information();
  std::vector<float> x(16);
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i - 8);
  std::map<std::string, MaceTensor> outputs;
  status = engine->Run({{"x", FloatTensor({1, 1, 4, 4}, x)}}, &outputs);
  ASSERT_TRUE(status.ok()) << status.information();
  EXPECT_EQ(
      Values(outputs["y"]),
      (std::vector<float>{33, 0,  0, 0, 3, 0, 0, 11, 0, 1, 4, 31, 0, 0, 0, 0, 0,
                          13, 11, 1, 0, 0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 7}));
  std::vector<float> larger(25);
  status = engine->Run({{"x", FloatTensor({1, 1, 5, 5}, larger)}}, &outputs);
  EXPECT_TRUE(Holds(status.information(), "as choose of the source model"))
      << status.information();
}

TEST(Settings, SharesAreKeptExactly) {
  for (const double share : {0.9999999, 1e-9, 0.1}) {
    MaceEngineConfig config;
    ASSERT_TRUE(config.SetRequire(CPU, share).ok());
    const Names& require = config.impl()->settings.values.require;
    ASSERT_EQ(require.size(), 1u);
    const auto kept = ParseShare(Setting("require", ""), require[0]);
    ASSERT_TRUE(kept.ok()) << kept.status().information();
    EXPECT_EQ(kept->share, share);
  }
}

}  // namespace
}  // namespace mace::testing
