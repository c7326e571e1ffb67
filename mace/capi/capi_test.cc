// The C API, by tests that are C themselves (testing/*.c).
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "mace/capi/testing/c_test.h"
#include "mace/testing/model_builder.h"
#include "mace/testing/seal.h"
#include "mace/testing/tokenizer_builder.h"

static bool new_fails = false;

// Objects of the C API come from here.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return new_fails ? nullptr : ::operator new(bytes);
}

namespace mace::testing {
namespace {

struct Files {
  std::vector<unsigned char> graph;
  std::shared_ptr<unsigned char> data;
  std::vector<unsigned char> sealed;
  std::string graph_file, data_file, sealed_file;
  SampleModel model;
};

void Write(const std::string& path, const void* bytes, size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes),
             static_cast<std::streamsize>(size));
}

Files* WriteFiles(ModelBuilder& b, const std::string& name) {
  auto* files = new Files;
  files->graph = b.Graph();
  files->data = b.Data();
  const std::string stem =
      ::testing::TempDir() + "/" + name + std::to_string(::getpid());
  files->graph_file = stem + ".pb";
  files->data_file = stem + ".data";
  Write(files->graph_file, files->graph.data(), files->graph.size());
  Write(files->data_file, files->data.get(), b.data_size());
  files->sealed =
      Seal(files->graph, {files->data.get(), files->data.get() + b.data_size()},
           std::vector<uint8_t>(32, 7), "seven");
  files->sealed_file = stem + ".sealed";
  Write(files->sealed_file, files->sealed.data(), files->sealed.size());
  files->model = {files->graph.data(),       files->graph.size(),
                  files->data.get(),         b.data_size(),
                  files->graph_file.c_str(), files->data_file.c_str(),
                  files->sealed.data(),      files->sealed.size(),
                  files->sealed_file.c_str()};
  return files;
}

Files* MakeFiles() {
  ModelBuilder b;
  b.Input("x", {1, 4, 4, 1})
      .Weight("w", {2, 1, 3, 3},
              {1, 1, 1, 1, 1, 1, 1, 1, 1,  //
               0, 0, 0, 0, 1, 0, 0, 0, 0})
      .Op("Conv2d", {"x", "w"}, {"c"},
          {{"padding", int64_t{1}}, {"dilations", std::vector<int64_t>{1, 1}}})
      .Op("Pooling", {"c"}, {"m"},
          {{"pooling_type", int64_t{2}},
           {"kernels", std::vector<int64_t>{2, 2}},
           {"strides", std::vector<int64_t>{2, 2}}})
      .Op("Softmax", {"m"}, {"p"})
      .Output("p");
  b.net().mutable_input_info(0)->set_data_format(proto::DF_NHWC);
  return WriteFiles(b, "capi_test");
}

Files* MakeStatefulFiles() {
  ModelBuilder b;
  proto::Variable& state = *b.net().add_variables();
  state.mutable_tensor()->set_name("sum");
  state.mutable_tensor()->add_dims(2);
  state.set_next("next");
  b.Input("x", {2})
      .Op("Eltwise", {"x", "sum"}, {"y"}, {{"type", std::string("SUM")}})
      .Op("Identity", {"y"}, {"next"})
      .Output("y");
  return WriteFiles(b, "capi_states");
}

Files* MakeAlphabetFiles() {
  constexpr int kTokens = 259;
  std::vector<float> logits(kTokens * kTokens, 0);
  for (int c = 0; c < kTokens; ++c) {
    const int next = c == 'z' ? 257 : (c + 1) % 256;
    logits[static_cast<size_t>(c * kTokens + next)] = 5;
  }
  ModelBuilder b;
  b.Input("input_ids", {1, 1});
  b.net().mutable_input_info(0)->set_data_type(proto::DT_INT32);
  b.net().mutable_input_info(0)->set_dims(1, -1);
  b.Weight("table", {kTokens, kTokens}, logits)
      .Op("Gather", {"table", "input_ids"}, {"logits"}, {{"axis", int64_t{0}}})
      .Output("logits");
  return WriteFiles(b, "capi_alphabet");
}

}  // namespace
}  // namespace mace::testing

extern "C" {

const SampleModel* Sample() {
  static const auto* files = mace::testing::MakeFiles();
  return &files->model;
}

const SampleModel* StatefulSample() {
  static const auto* files = mace::testing::MakeStatefulFiles();
  return &files->model;
}

const SampleModel* AlphabetSample() {
  static const auto* files = mace::testing::MakeAlphabetFiles();
  return &files->model;
}

const void* TokenizerSample(size_t* bytes) {
  static const auto* file = new std::string(
      mace::testing::ByteTokens({{"a", "b"}})
          .Property("chat_template",
                    "{% for m in messages %}{{ m.role[0] }}{{ m.content }}"
                    "{% endfor %}")
          .Property("do_sample", "true")
          .Property("temperature", "0.5")
          .Property("top_k", "1")
          .Build());
  *bytes = file->size();
  return file->data();
}

void Failed(const char* file, int line, const char* what, const char* found) {
  ADD_FAILURE_AT(file, line) << what << "\nThe last error: " << found;
}

void FailNew(int fail) { new_fails = fail != 0; }

int Clean() { return mace_set_last_error(MACE_SUCCESS, nullptr); }

int IsError(mace_status_t status, const char* text) {
  return mace_last_status() == status && mace_last_error()[0] != '\0' &&
         std::strstr(mace_last_error(), text) != nullptr;
}

}  // extern "C"

namespace mace::testing {
namespace {

TEST(CApi, Models) { TestModels(); }
TEST(CApi, Streams) { TestStreams(); }
TEST(CApi, Configs) { TestConfigs(); }
TEST(CApi, SettingsReachEngines) { TestSettingsReachEngines(); }
TEST(CApi, AsyncRuns) { TestAsyncRuns(); }
TEST(CApi, Engines) { TestEngines(); }
TEST(CApi, EngineErrors) { TestEngineErrors(); }
TEST(CApi, Tensors) { TestTensors(); }
TEST(CApi, TensorErrors) { TestTensorErrors(); }
TEST(CApi, Statistics) { TestStatistics(); }
TEST(CApi, StatisticsErrors) { TestStatisticsErrors(); }
TEST(CApi, Process) { TestProcess(); }
TEST(CApi, Storage) { TestStorage(); }
TEST(CApi, Tokenizer) { TestTokenizer(); }
TEST(CApi, Generator) { TestGenerator(); }
TEST(CApi, Images) { TestImages(); }
TEST(CApi, ImageErrors) { TestImageErrors(); }
TEST(CApi, NoMemory) { TestNoMemory(); }
TEST(CApi, Cancellation) { TestCancellation(); }
TEST(CApi, Sharing) { TestSharing(); }
TEST(CApi, Capability) { TestCapability(); }
TEST(CApi, Log) { TestLog(); }
TEST(CApi, OpResolvers) { TestOpResolvers(); }
TEST(CApi, States) { TestStates(); }
TEST(CApi, Sealed) { TestSealed(); }

TEST(CApi, EachThreadHasALastErrorOfItsOwn) {
  EXPECT_EQ(mace_set_last_error(MACE_UNSUPPORTED, "here"), MACE_UNSUPPORTED);
  std::thread([] {
    EXPECT_EQ(mace_last_status(), MACE_SUCCESS);
    EXPECT_STREQ(mace_last_error(), "");
    EXPECT_EQ(mace_model_name(nullptr), nullptr);
    EXPECT_STREQ(mace_last_error(), "mace_model_name: model is null");
  }).join();
  EXPECT_STREQ(mace_last_error(), "here");
}

}  // namespace
}  // namespace mace::testing
