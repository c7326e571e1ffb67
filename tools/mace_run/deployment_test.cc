// Reading deployment files: right ones, wrong ones, and hostile ones.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/deployment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "mace/runtime/settings/setting_values.h"
#include "tools/mace_run/deployed_runs.h"
#include "tools/mace_run/deployment_keys.h"

namespace mace::tools {
namespace {

// A file with one model 'a', more lines of that model, and more at the end.
std::string FileWith(const std::string& more, const std::string& end = "",
                     const std::string& runtime = "cpu") {
  return "library_name: lib\n"    // 1
         "target_abis: [host]\n"  // 2
         "models:\n"              // 3
         "  a:\n"                 // 4
         "    platform: onnx\n"   // 5
         "    runtime: " +
         runtime +                      // 6
         "\n    subgraphs:\n"           // 7
         "      - input_tensors: x\n"   // 8
         "        input_ranges: 0,2\n"  // 9
         "        output_tensors: y\n" +
         more + end;
}

Deployment Read(const std::string& text) {
  auto deployment = ParseDeployment(text, "f.yml");
  EXPECT_TRUE(deployment.ok()) << deployment.status().information();
  return deployment.ok() ? *deployment : Deployment();
}

std::string Message(const std::string& text) {
  const auto deployment = ParseDeployment(text, "f.yml");
  return deployment.ok() ? "" : deployment.status().information();
}

void ExpectIn(const std::string& part, const std::string& message) {
  EXPECT_NE(message.find(part), std::string::npos)
      << "'" << part << "' is not in:\n"
      << message;
}

TEST(Deployment, SettingsComeByTheirKeys) {
  const Deployment d =
      Read(FileWith("    num_threads: 3\n"
                    "    winograd: 0\n"
                    "    memory_strategy: NAIVE\n"
                    "    memory_savings: [views, concat]\n"
                    "    memory_limit: 1000000\n"
                    "    tuning_ms: 5\n"
                    "    float32_nodes: [p, q]\n"
                    "    opencl_queue_window_size: 7\n"
                    "    limit_opencl_kernel_time: 1\n"));
  EXPECT_EQ(d.library_name, "lib");
  ASSERT_EQ(d.models.size(), 1u);
  const std::map<std::string, std::string> expected = {
      {"num_threads", "3"},          {"winograd", "0"},
      {"memory_strategy", "NAIVE"},  {"memory_savings", "views,concat"},
      {"memory_limit", "1000000"},   {"tuning_ms", "5"},
      {"float32_nodes", "p,q"},      {"gpu_queue_window", "7"},
      {"gpu_kernel_micros", "1000"},
  };
  EXPECT_EQ(d.models[0].settings, expected);
  const std::map<std::string, std::vector<float>> ranges = {{"x", {0, 2}}};
  EXPECT_EQ(d.models[0].input_ranges, ranges);
}

// So that a setting with a new key is read without a change here.
TEST(Deployment, EverySettingWithAKeyIsRead) {
  int found = 0;
  for (const SettingInfo& info : AllSettings()) {
    const Setting& s = info.setting;
    if (s.yaml.empty()) continue;
    const Deployment d =
        Read(FileWith("    " + s.yaml + ": " + s.example + "\n"));
    ASSERT_EQ(d.models.size(), 1u);
    EXPECT_EQ(d.models[0].settings.count(s.name), 1u) << s.yaml;
    EXPECT_EQ(ProblemOfKey("model", s.yaml), "");
    ++found;
  }
  EXPECT_GT(found, 5);
}

TEST(Deployment, RuntimesAreThoseOfTheSchema) {
  for (const std::string runtime :
       {"cpu", "gpu", "dsp", "cpu+gpu", "cpu+dsp"}) {
    EXPECT_EQ(Read(FileWith("", "", runtime)).models[0].runtime, runtime);
  }
  EXPECT_EQ(Read(FileWith("", "", "cpu_gpu")).models[0].runtime, "cpu+gpu");
  ExpectIn(
      "f.yml:6: models.a.runtime: 'npu' is not one of cpu, gpu, dsp, cpu+gpu, "
      "cpu+dsp",
      Message(FileWith("", "", "npu")));
}

TEST(Deployment, NodesOfAnObfuscatedModelAreLeftToTheModel) {
  const Deployment d =
      Read(FileWith("    float32_nodes: p\n    obfuscate: 1\n"));
  EXPECT_EQ(d.models[0].settings.count("float32_nodes"), 0u);
}

TEST(Deployment, RangesOfSeveralInputs) {
  const auto read = [](const std::string& lines) {
    return Read(
               "library_name: l\nmodels:\n  a:\n    runtime: cpu\n"
               "    subgraphs:\n      - " +
               lines)
        .models.at(0)
        .input_ranges;
  };
  using Ranges = std::map<std::string, std::vector<float>>;
  EXPECT_EQ(read("{input_tensors: [x, z], input_ranges: [1, 2]}"),
            (Ranges{{"x", {1, 2}}, {"z", {1, 2}}}));
  EXPECT_EQ(read("{input_tensors: [x, z], input_ranges: ['0,1', '-5, 5']}"),
            (Ranges{{"x", {0, 1}}, {"z", {-5, 5}}}));
  EXPECT_EQ(read("{input_tensors: [x, z]}"), Ranges());
  EXPECT_EQ(read("{input_tensors: [x, z], input_aliases: [a, b], "
                 "input_ranges: ['0,1', '-5, 5']}"),
            (Ranges{{"a", {0, 1}}, {"b", {-5, 5}}}));
}

TEST(Deployment, WrongKeysAreNamedWithTheirLine) {
  ExpectIn(
      "f.yml:11: models.a.num_thread: unknown key; did you mean "
      "'num_threads'?",
      Message(FileWith("    num_thread: 3\n")));
  ExpectIn(
      "f.yml:11: models.a.target_socs: this key does not belong here, but "
      "at the top of the file",
      Message(FileWith("    target_socs: [host]\n")));
  ExpectIn(
      "f.yml:11: models.a.apu_boost_hint: this key of later MACE releases has "
      "no meaning",
      Message(FileWith("    apu_boost_hint: 1\n")));
  ExpectIn("f.yml:12: models.a.num_threads: this key appears twice",
           Message(FileWith("    num_threads: 3\n    num_threads: 4\n")));
  ExpectIn(
      "f.yml:11: unknown_thing: unknown key; the keys here are "
      "library_name, ",
      Message(FileWith("", "unknown_thing: 3\n")));
  ExpectIn("f.yml:9: models.a.subgraphs[0].input_rangs: unknown key",
           Message("library_name: l\nmodels:\n  a:\n    runtime: cpu\n\n\n"
                   "    subgraphs:\n      - input_tensors: x\n"
                   "        input_rangs: 0,1\n"));
  ExpectIn("f.yml:11: models.a.preprocess.size: unknown key",
           Message(FileWith("    preprocess: {size: [1, 2]}\n")));
  ExpectIn(
      "f.yml:1: library_name: this key is missing\n    example: "
      "library_name: mobilenet",
      Message("models: {a: {runtime: cpu}}"));
  ExpectIn("models.a.runtime: this key is missing",
           Message("library_name: l\nmodels: {a: {num_threads: 1}}"));
  ExpectIn("models: this key is missing", Message("library_name: l"));
}

TEST(Deployment, WrongValuesAreNamedWithTheirLine) {
  const auto expect = [](const std::string& line, const std::string& message) {
    ExpectIn("f.yml:11: models.a." + message,
             Message(FileWith("    " + line + "\n")));
  };
  expect("num_threads: 0",
         "num_threads: '0' is not -1, or a whole number from 1 to 1024\n"
         "    example: num_threads: 4");
  expect("num_threads:", "num_threads: an empty value is not a value");
  expect("num_threads: {a: 1}", "num_threads: a mapping is not a value");
  expect("num_threads: [1]", "num_threads: a list is not a value");
  expect("num_threads: \"2\"", "num_threads: '2' is text; write it without");
  expect("num_threads: 99999999999999999999", "num_threads: '99999");
  expect("winograd: 3", "winograd: '3' is not one of 0, 1, 2, 4, 6");
  expect("memory_savings: [views, views]",
         "memory_savings: 'views' appears twice");
  expect("memory_savings: []", "memory_savings: the list is empty");
  expect("memory_savings: views,concat",
         "memory_savings: 'views,concat' is one word; write a list");
  expect("float32_nodes: [[a]]", "float32_nodes: a list is not a name");
  expect("float32_nodes: ['a,b']", "float32_nodes: 'a,b' has a comma");
  expect("memory_strategy: BEST", "memory_strategy: 'BEST' is not one of");
  expect("limit_opencl_kernel_time: 2",
         "limit_opencl_kernel_time: '2' is not 0 or 1");
  ExpectIn("f.yml:3: models: there is nothing in it",
           Message("library_name: l\n\nmodels: {}\n"));
  ExpectIn("f.yml:2: models: a list is not a mapping",
           Message("library_name: l\nmodels: [a]\n"));
  ExpectIn("f.yml:2: models: the name of the model: '../a' names files",
           Message("library_name: l\nmodels: {../a: {runtime: cpu}}\n"));
  ExpectIn("f.yml:1: library_name: '../../x' names files",
           Message("library_name: ../../x\nmodels: {a: {runtime: cpu}}\n"));
  const auto ranges = [](const std::string& text) {
    return Message(
        "library_name: l\nmodels: {a: {runtime: cpu, subgraphs: "
        "[{input_tensors: [x, y], input_ranges: " +
        text + "}]}}");
  };
  for (const char* wrong : {"'2,1'", "'nan,1'", "'1,inf'", "x", "'1,2,3'",
                            "['0,1', '1']", "'0,1e300'"}) {
    ExpectIn("is not a range, which is two numbers", ranges(wrong));
  }
  ExpectIn("has 3 ranges for 2 inputs", ranges("['0,1', '0,1', '0,1']"));
  ExpectIn("has 0 ranges for 2 inputs", ranges("{a: 1}"));
  ExpectIn("models.a.subgraphs: it has 2 entries",
           Message("library_name: l\nmodels: {a: {runtime: cpu, subgraphs: "
                   "[{}, {}]}}"));
}

TEST(Deployment, AllProblemsAreReportedAtOnce) {
  const std::string message = Message(
      FileWith("    winograd: 3\n    num_thread: 1\n", "more: 1\n", "npu"));
  ExpectIn("f.yml has 4 problems; nothing was done\nf.yml:6: ", message);
  ExpectIn("\nf.yml:11: ", message);
  ExpectIn("\nf.yml:12: ", message);
  ExpectIn("\nf.yml:13: more: ", message);
}

TEST(Deployment, FilesThatAreNoMapping) {
  for (const char* empty : {"", "# nothing\n", "---\n", "~"}) {
    ExpectIn("f.yml:1: the file is empty", Message(empty));
  }
  ExpectIn("f.yml:1: the file is a list, not a mapping", Message("- a\n- b"));
  ExpectIn("f.yml:1: the file is 'text', not a mapping", Message("text"));
  ExpectIn("f.yml:2: a second document begins here",
           Message("a: 1\n---\nb: 2\n"));
  for (const char* left : {"a: 1\n}", "a: 1\n]\n", "{a: 1}}", "[]]"}) {
    EXPECT_NE(Message(left), "") << left;
  }
  ExpectIn("f.yml:4: this is not valid YAML: ",
           Message("library_name: l\nmodels:\n  a: [1, 2\n"));
  ExpectIn("f.yml:2: this is not valid YAML: ",
           Message("library_name: l\nmodels: *nothing\n"));
  ExpectIn("f.yml:1: a key is a list; keys are words", Message("[a]: b\n"));
  ExpectIn("f.yml:2: this is not valid YAML: ", Message("a: b\n\tc: d\n"));
}

TEST(Deployment, MappingsTakeOverOthers) {
  const Deployment d = Read(
      "library_name: l\n"
      "models:\n"
      "  a: &base {runtime: cpu, num_threads: 2, winograd: 4}\n"
      "  b: {<<: *base, winograd: 0}\n");
  ASSERT_EQ(d.models.size(), 2u);
  EXPECT_EQ(d.models[1].name, "b");
  EXPECT_EQ(d.models[1].runtime, "cpu");
  EXPECT_EQ(d.models[1].settings.at("num_threads"), "2");
  EXPECT_EQ(d.models[1].settings.at("winograd"), "0");
}

TEST(Deployment, BombsEnd) {
  std::string merges = "x0: &x0 {library_name: l}\n", lists = "y0: &y0 [a]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string n = std::to_string(i), last = std::to_string(i - 1);
    const auto both = [&](const std::string& name) {
      return "[*" + name + last + ", *" + name + last + "]";
    };
    merges += "x" + n + ": &x" + n + " {<<: " + both("x") + "}\n";
    lists += "y" + n + ": &y" + n + " " + both("y") + "\n";
  }
  ExpectIn("there are too many keys, or mappings",
           Message(merges + "<<: *x39\n"));
  ExpectIn("unknown key", Message(lists));
  ExpectIn("models: a list is not a mapping",
           Message(lists + "models: *y39\n"));
  std::string itself = "library_name: l\nmodels: &m\n  a: &a\n    <<: *a\n";
  EXPECT_NE(Message(itself), "");
  EXPECT_NE(Message("&a [*a]"), "");
  EXPECT_NE(Message(std::string(200000, '[')), "");
  EXPECT_NE(Message(std::string(100000, '{')), "");
  std::string deep;
  for (int i = 0; i < 900; ++i) deep += std::string(i, ' ') + "a:\n";
  EXPECT_NE(Message(deep), "");
  std::string wide = "library_name: l\n";
  for (int i = 0; i < 20000; ++i) wide += "k" + std::to_string(i) + ": 1\n";
  const std::string message = Message(wide);
  ExpectIn("The first 50:", message);
  EXPECT_LT(message.size(), 20000u);
}

// Nothing that a file may hold ends the process.
TEST(Deployment, DamagedFilesGetAnAnswer) {
  const std::string whole = FileWith(
      "    num_threads: 3\n    memory_savings: [views, concat]\n"
      "    preprocess: {resize: [8, 8], scale: 0.5}\n"
      "    float32_nodes: &n ['a', \"b\\n\"]\n    labels: |\n      x\n");
  const std::string bytes = ":-[]{}&*!|>'\"#%@`,?\n\t\\ <~0aZ\xFF\xC3\x01";
  std::mt19937 rng(1);
  constexpr int kFiles = 3000;
  int num_refused = 0;
  for (int i = 0; i < kFiles; ++i) {
    std::string text = whole;
    for (int k = rng() % 4 + 1; k > 0; --k) {
      const size_t at = rng() % text.size();
      const char byte = bytes[rng() % bytes.size()];
      switch (rng() % 4) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, rng() % 8 + 1);
          break;
        default:
          text.insert(at, text.substr(rng() % text.size(), 20));
      }
      if (text.empty()) text = " ";
    }
    const auto result = ParseDeployment(text, "f.yml");
    if (!result.ok()) {
      ++num_refused;
      EXPECT_EQ(result.status().information().substr(0, 5), "f.yml");
    }
  }
  EXPECT_GT(num_refused, kFiles / 20);
  EXPECT_LT(num_refused, kFiles);
}

class DeployedRuns : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/deployed_runs";
    std::filesystem::remove_all(folder_);
    models_ = folder_ + "/build/l/model/";
    std::filesystem::create_directories(models_);
    for (const char* name :
         {"a.pb", "a.data", "b.pb", "b.data", "d.pb", "d.data"}) {
      std::ofstream(models_ + name) << "x";
    }
    options_.jobs.emplace_back();
  }

  // Of a file with the models a (cpu), b (cpu+gpu) and more.
  Deployment TheFile(const std::string& more = "") {
    auto d = ParseDeployment(
        "library_name: l\nmodels:\n"
        "  a: {runtime: cpu, num_threads: 3, opencl_queue_window_size: 5}\n"
        "  b: {runtime: cpu+gpu, winograd: 2, opencl_queue_window_size: 5}\n" +
            more,
        folder_ + "/f.yml");
    EXPECT_TRUE(d.ok()) << d.status().information();
    return *d;
  }

  Result<std::vector<DeployedRun>> Runs(const Deployment& deployment) {
    MACE_ASSIGN_OR_RETURN(const std::vector<DeployedModel> models,
                          ChooseModels(deployment, options_));
    return RunsOf(deployment, models, options_);
  }

  std::string folder_, models_;
  Options options_;
};

TEST_F(DeployedRuns, ModelsRunOnTheirDevicesWithTheirSettings) {
  options_.jobs[0].output_dir = "out";
  const auto runs = Runs(TheFile());
  ASSERT_TRUE(runs.ok()) << runs.status().information();
  ASSERT_EQ(runs->size(), 3u);
  const char* expected[][3] = {{"a", "CPU", "out/a"},
                               {"b", "CPU", "out/b/cpu"},
                               {"b", "GPU", "out/b/gpu"}};
  for (int i = 0; i < 3; ++i) {
    const DeployedRun& run = (*runs)[i];
    EXPECT_EQ(run.model, expected[i][0]);
    EXPECT_EQ(run.device, expected[i][1]);
    EXPECT_EQ(run.options.device, expected[i][1]);
    EXPECT_EQ(run.options.jobs[0].output_dir, expected[i][2]);
    EXPECT_EQ(run.options.jobs[0].model_file, models_ + run.model + ".pb");
    EXPECT_EQ(run.options.settings.count("gpu_queue_window"),
              run.device == "GPU" ? 1u : 0u);
  }
  EXPECT_EQ((*runs)[0].options.settings.at("num_threads"), "3");
  EXPECT_EQ((*runs)[2].options.settings.at("winograd"), "2");
  // Those of a program that measures stay.
  EXPECT_EQ((*runs)[0].options.settings.at("gpu_perf_hint"), "3");
}

TEST_F(DeployedRuns, ModelsForTheDspRunThereWithItsSettings) {
  options_.model_name = "d";
  options_.jobs[0].output_dir = "out";
  const auto runs = Runs(
      TheFile("  d: {runtime: cpu+dsp, dsp_corner: 3, nnlib_graph_mode: 1}\n"));
  ASSERT_TRUE(runs.ok()) << runs.status().information();
  ASSERT_EQ(runs->size(), 2u);
  const Options& on_cpu = (*runs)[0].options;
  const Options& on_dsp = (*runs)[1].options;
  EXPECT_EQ(on_cpu.device, "CPU");
  EXPECT_EQ(on_cpu.settings.count("dsp_corner"), 0u);
  EXPECT_EQ(on_cpu.jobs[0].output_dir, "out/cpu");
  EXPECT_EQ(on_dsp.device, "HEXAGON");
  EXPECT_EQ(on_dsp.settings.at("dsp_corner"), "3");
  EXPECT_EQ(on_dsp.settings.at("nnlib_graph_mode"), "1");
  EXPECT_EQ(on_dsp.jobs[0].output_dir, "out/dsp");
}

TEST_F(DeployedRuns, FlagsGoBeforeTheFile) {
  options_.settings["num_threads"] = "1";
  options_.device = "GPU";
  options_.given = {"num_threads", "device"};
  options_.model_name = "a";
  options_.model_dir = models_;
  options_.jobs[0].output_dir = "out";
  const auto runs = Runs(TheFile());
  ASSERT_TRUE(runs.ok()) << runs.status().information();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ((*runs)[0].device, "GPU");
  EXPECT_EQ((*runs)[0].options.settings.at("num_threads"), "1");
  EXPECT_EQ((*runs)[0].options.jobs[0].output_dir, "out");
}

TEST_F(DeployedRuns, WhatIsMissingIsNamed) {
  const Deployment d = TheFile("  c: {runtime: cpu}\n");
  options_.model_name = "c";
  const std::string message = Runs(d).status().information();
  ExpectIn(
      "model 'c' is not converted: there is no build/l/model/c.pb and no " +
          models_ + "c.pb",
      message);
  ExpectIn("`tools/converter.py convert --config=" + folder_ + "/f.yml`",
           message);
  options_.model_name = "mobilenett";
  ExpectIn(
      "--model_name: " + folder_ +
          "/f.yml has no model 'mobilenett'; did you mean 'mobilenet'?",
      Runs(TheFile("  mobilenet: {runtime: cpu}\n")).status().information());
  options_.model_name = "something";
  ExpectIn("its models are a, b", Runs(TheFile()).status().information());
}

TEST_F(DeployedRuns, FlagsOfOneModelOrOneRunMeetOnlyOne) {
  options_.jobs[0].inputs["x"] = "x.npy";
  ExpectIn("--input is of one model",
           ChooseModels(TheFile(), options_).status().information());
  options_.model_name = "b";
  EXPECT_TRUE(ChooseModels(TheFile(), options_).ok());
  options_.trace_file = "t.json";
  ExpectIn("--trace is of one model on one device",
           ChooseModels(TheFile(), options_).status().information());
  options_.given = {"device"};
  EXPECT_TRUE(ChooseModels(TheFile(), options_).ok());
}

TEST_F(DeployedRuns, FilesThatCannotBeRead) {
  ExpectIn("the deployment file does not exist; give the path",
           ReadDeployment(folder_ + "/none.yml").status().information());
  ExpectIn("the deployment file is a folder",
           ReadDeployment(folder_).status().information());
  ExpectIn("is no regular file",
           ReadDeployment("/dev/null").status().information());
  const std::string path = folder_ + "/x.yml";
  std::ofstream(path) << std::string(2 << 20, ' ');
  ExpectIn("has 2097152 bytes: too large",
           ReadDeployment(path).status().information());
  std::ofstream(path) << std::string(10, '\0');
  ExpectIn("is not text in UTF-8", ReadDeployment(path).status().information());
  std::ofstream(path) << "";
  ExpectIn("x.yml:1: the file is empty",
           ReadDeployment(path).status().information());
  std::ofstream(path) << "\xEF\xBB\xBFlibrary_name: l\r\nmodels: {a: {runtime: "
                         "cpu}}\r\n";
  EXPECT_TRUE(ReadDeployment(path).ok());
}

}  // namespace
}  // namespace mace::tools
