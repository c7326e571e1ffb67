// Models from files, from memory of the app and from its streams: the same
// answers, and what is wrong with a stream or with the app's headers.
// SPDX-License-Identifier: Apache-2.0

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>

#include "gtest/gtest.h"
#include "mace/public/mace.h"
#include "mace/testing/model_builder.h"

namespace mace {
namespace {

using testing::FloatTensor;
using testing::ModelBuilder;
using testing::Values;

ModelBuilder Sample() {
  ModelBuilder b;
  b.Input("x", {2, 3})
      .Weight("w", {2, 3}, {1, 2, 3, 4, 5, 6})
      .Op("Eltwise", {"x", "w"}, {"y"}, {{"type", std::string("SUM")}})
      .Op("Softmax", {"y"}, {"p"})
      .Output("p");
  return b;
}

// Gives its bytes in pieces of at most `piece`, and reports that it has
// `reported`.
class Pieces final : public MaceStream {
 public:
  Pieces(std::vector<unsigned char> bytes, size_t piece)
      : bytes_(std::move(bytes)), piece_(piece), reported_(bytes_.size()) {}

  Pieces& Reports(size_t reported) {
    reported_ = reported;
    return *this;
  }
  Pieces& Returns(int64_t instead) {
    instead_ = instead;
    return *this;
  }

  size_t size() const override { return reported_; }
  int64_t Read(void* buffer, size_t bytes) override {
    if (instead_ != 0) return instead_;
    const size_t n = std::min({bytes, piece_, bytes_.size() - at_});
    if (n > 0) std::memcpy(buffer, bytes_.data() + at_, n);
    at_ += n;
    return static_cast<int64_t>(n);
  }

 private:
  std::vector<unsigned char> bytes_;
  size_t piece_, reported_, at_ = 0;
  int64_t instead_ = 0;
};

std::vector<unsigned char> DataOf(const ModelBuilder& b) {
  const auto data = b.Data();
  return {data.get(), data.get() + b.data_size()};
}

std::vector<float> Answer(MaceEngine& engine) {
  std::map<std::string, MaceTensor> outputs;
  const MaceStatus status =
      engine.Run({{"x", FloatTensor({2, 3}, {0, 1, 0, 2, 0, 0.5f})}}, &outputs);
  EXPECT_TRUE(status.ok()) << status.information();
  return status.ok() ? Values(outputs.at("p")) : std::vector<float>();
}

std::vector<float> Answer(std::shared_ptr<MaceModel> model) {
  std::shared_ptr<MaceEngine> engine;
  const MaceStatus status =
      MaceEngine::Create(std::move(model), {}, {}, MaceEngineConfig(), &engine);
  EXPECT_TRUE(status.ok()) << status.information();
  return status.ok() ? Answer(*engine) : std::vector<float>();
}

void ExpectError(const MaceStatus& status, MaceStatus::Code code,
                 const std::string& text) {
  EXPECT_EQ(status.code(), code) << status.information();
  EXPECT_NE(status.information().find(text), std::string::npos)
      << status.information();
}

TEST(Load, TheSameBitsFromFilesMemoryAndStreams) {
  ModelBuilder b = Sample();
  const std::vector<float> expected = Answer(b.Load());
  ASSERT_EQ(expected.size(), 6u);
  std::shared_ptr<MaceModel> model;
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{1} << 20}) {
    Pieces graph(b.Graph(), piece), data(DataOf(b), piece);
    ASSERT_TRUE(MaceModel::Load(&graph, &data, &model).ok());
    EXPECT_EQ(Answer(model), expected);
  }
  const std::string path = ::testing::TempDir() + "load_test.data";
  const std::vector<unsigned char> bytes = DataOf(b);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const std::vector<unsigned char> graph = b.Graph();
  ASSERT_TRUE(MaceModel::Load(graph.data(), graph.size(), path, &model).ok());
  EXPECT_EQ(Answer(model), expected);
  std::remove(path.c_str());
}

TEST(Load, MemoryOfTheAppIsUsedInPlaceWhereItIsAligned) {
  ModelBuilder b = Sample();
  const std::vector<float> expected = Answer(b.Load());
  const std::vector<unsigned char> graph = b.Graph();
  std::vector<unsigned char> bytes(b.data_size() + 128);
  for (const size_t shift : {0, 4}) {
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    unsigned char* data = bytes.data() + (64 - begin % 64) + shift;
    std::memcpy(data, b.Data().get(), b.data_size());
    std::shared_ptr<MaceEngine> engine;
    bool unused = shift == 0;
    const MaceStatus status = CreateMaceEngineFromProto(
        graph.data(), graph.size(), data, b.data_size(), {"x"}, {"p"},
        MaceEngineConfig(), &engine, &unused);
    ASSERT_TRUE(status.ok()) << status.information();
    EXPECT_EQ(unused, shift != 0);
    if (unused) std::memset(data, 0xFF, b.data_size());
    EXPECT_EQ(Answer(*engine), expected);
  }
}

TEST(Load, StreamsThatAreNotWhatTheySay) {
  ModelBuilder b = Sample();
  const std::vector<unsigned char> data = DataOf(b);
  const std::string size = std::to_string(data.size());
  std::shared_ptr<MaceModel> model;
  const auto load = [&](Pieces weights) {
    Pieces graph(b.Graph(), 100);
    return MaceModel::Load(&graph, &weights, &model);
  };
  const auto code = MaceStatus::MACE_INVALID_ARGS;
  ExpectError(load(Pieces(data, 9).Reports(data.size() + 1)), code,
              "the stream of the weights reported " +
                  std::to_string(data.size() + 1) + " bytes and ended after " +
                  size);
  ExpectError(load(Pieces(data, 9).Reports(data.size() - 1)), code,
              "and has more");
  ExpectError(load(Pieces(data, 9).Reports(0)), code, "and has more");
  ExpectError(load(Pieces(data, 9).Returns(-5)), code,
              "failed behind byte 0: its Read returned -5");
  ExpectError(load(Pieces(data, 9).Returns(1 << 20)), code,
              "Read was asked for " + size + " bytes and returned 1048576");
  ExpectError(load(Pieces(data, 9).Reports(std::numeric_limits<size_t>::max())),
              code, "which cannot be");
  ExpectError(load(Pieces({}, 9)), code, "bytes of weights and was given none");
  Pieces cut(std::vector<unsigned char>(10, 1), 9), weights(data, 9);
  ExpectError(MaceModel::Load(&cut, &weights, &model),
              MaceStatus::MACE_INVALID_MODEL, "not a MACE model");
  EXPECT_EQ(model, nullptr);
  ExpectError(MaceModel::Load(nullptr, &weights, &model), code, "null");
}

TEST(Load, HeadersOfAnotherVersionAreRefused) {
  const auto create = [](int version) {
    std::shared_ptr<MaceEngine> engine;
    return MaceEngine::Create(Sample().Load(), {}, {},
                              MaceEngineConfig(DeviceType::CPU, version),
                              &engine);
  };
  const int ours = MACE_VERSION_NUMBER;
  EXPECT_TRUE(create(ours).ok());
  EXPECT_TRUE(create(ours + 5).ok()) << "a patch changes no header";
  for (const int theirs : {ours + 1000, ours + 1000000, 2003004}) {
    ExpectError(create(theirs), MaceStatus::MACE_INVALID_ARGS,
                "compiled with the headers of MACE " +
                    std::to_string(theirs / 1000000) + "." +
                    std::to_string(theirs % 1000000 / 1000) + ".");
  }
  ExpectError(create(ours + 1000), MaceStatus::MACE_INVALID_ARGS,
              std::string("the library of version ") + MaceVersion());
}

void WriteBytes(const std::string& path,
                const std::vector<unsigned char>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// With a mapping, the process would end by SIGBUS.
// Of this process: descriptors that are open, and mappings.
std::pair<size_t, size_t> OpenNow() {
  size_t descriptors = 0, mappings = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++descriptors;
  closedir(folder);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    mappings += line.find("/mace_open_") != std::string::npos;
  }
  return {descriptors, mappings};
}

TEST(Load, LeavesNoDescriptorsAndMappingsOpen) {
  ModelBuilder b = Sample();
  const std::string stem = ::testing::TempDir() + "/mace_open_";
  const std::string pb = stem + "m.pb", data = stem + "m.data";
  const std::string cut = stem + "cut.pb";
  const auto graph = b.Graph();
  const auto weights = DataOf(b);
  const auto write = [](const std::string& path, const unsigned char* bytes,
                        size_t size) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes),
               static_cast<std::streamsize>(size));
  };
  write(pb, graph.data(), graph.size());
  write(data, weights.data(), weights.size());
  write(cut, graph.data(), graph.size() / 2);
  const auto load = [&](bool into_memory) {
    std::shared_ptr<MaceModel> model, none;
    const auto read = [&](const std::string& graph_file,
                          const std::string& data_file,
                          std::shared_ptr<MaceModel>* to) {
      return into_memory ? MaceModel::LoadIntoMemory(graph_file, data_file, to)
                         : MaceModel::Load(graph_file, data_file, to);
    };
    EXPECT_TRUE(read(pb, data, &model).ok());
    Answer(model);
    // What fails at each stage.
    EXPECT_FALSE(read(cut, data, &none).ok());
    EXPECT_FALSE(read(pb, cut, &none).ok());
    EXPECT_FALSE(read(pb, "/nowhere", &none).ok());
    EXPECT_FALSE(read(pb, "/dev/null", &none).ok());
  };
  load(false);  // what a process opens once
  load(true);
  const auto before = OpenNow();
  for (int i = 0; i < 50; ++i) load(i % 2 == 0);
  EXPECT_EQ(OpenNow(), before);
  EXPECT_EQ(before.second, 0u);
  for (const std::string& path : {pb, data, cut}) std::remove(path.c_str());
}

TEST(LoadIntoMemory, FilesMayBeCutShort) {
  const ModelBuilder b = Sample();
  const std::string stem = ::testing::TempDir() + "/load_into_memory";
  ModelBuilder graph = b;
  WriteBytes(stem + ".pb", graph.Graph());
  WriteBytes(stem + ".data", DataOf(b));
  std::shared_ptr<MaceModel> model;
  ASSERT_TRUE(
      MaceModel::LoadIntoMemory(stem + ".pb", stem + ".data", &model).ok());
  WriteBytes(stem + ".pb", {});
  WriteBytes(stem + ".data", {});
  EXPECT_EQ(Answer(model), Answer(graph.Load()));
  // Errors are the same as of Load.
  EXPECT_NE(MaceModel::LoadIntoMemory(stem + ".pb", stem + ".data", &model)
                .information()
                .find("the model file is empty"),
            std::string::npos);
  EXPECT_EQ(MaceModel::LoadIntoMemory("/no/net.pb", "", &model),
            MaceStatus::MACE_INVALID_ARGS);
}

// The old file stays as long as the model does.
TEST(Load, FilesMayBeReplacedByRenaming) {
  const ModelBuilder b = Sample();
  const std::string stem = ::testing::TempDir() + "/replaced";
  ModelBuilder graph = b;
  WriteBytes(stem + ".pb", graph.Graph());
  WriteBytes(stem + ".data", DataOf(b));
  std::shared_ptr<MaceModel> model;
  ASSERT_TRUE(MaceModel::Load(stem + ".pb", stem + ".data", &model).ok());
  WriteBytes(stem + ".new", {1});
  ASSERT_EQ(std::rename((stem + ".new").c_str(), (stem + ".data").c_str()), 0);
  EXPECT_EQ(Answer(model), Answer(graph.Load()));
}

}  // namespace
}  // namespace mace
