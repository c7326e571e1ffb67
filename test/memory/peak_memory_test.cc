// The peak of resident memory of mace_run on MobileNet v2.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "mace/base/aligned_buffer.h"
#include "mace/base/fp16.h"
#include "mace/base/hash.h"
#include "test/memory/mobilenets.h"

namespace mace::test {
namespace {

constexpr int64_t kEmptyProcess = 3500 * 1000;  // with protobuf-lite
constexpr int64_t kMargin = 4 * 1000 * 1000;

void Write(const std::string& path, const void* data, size_t size) {
  std::ofstream out(path, std::ios::binary);
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  ASSERT_TRUE(out.good()) << path;
}

int64_t PeakBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

// Runs the program; each line that it reads makes it run the model once and
// print a line.
int64_t PeakOfTwoRuns(const std::vector<std::string>& command) {
  int to_child[2], from_child[2];
  EXPECT_EQ(pipe(to_child) | pipe(from_child), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(to_child[0], 0);
    dup2(from_child[1], 1);
    close(to_child[1]);
    std::vector<char*> arguments;
    for (const std::string& a : command) {
      arguments.push_back(const_cast<char*>(a.c_str()));
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(to_child[0]);
  close(from_child[1]);
  EXPECT_EQ(write(to_child[1], "\n\n", 2), 2);
  int lines = 0;  // the time of creation and of both runs
  for (char c; lines < 3 && read(from_child[0], &c, 1) == 1;)
    lines += c == '\n';
  EXPECT_EQ(lines, 3);
  const int64_t peak = PeakBytes(pid);
  close(to_child[1]);
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  close(from_child[0]);
  return peak;
}

// The matrices and filters of a network as fp16.
void WriteAsFp16(testing::ModelBuilder& network, proto::DataType stored,
                 const std::string& path) {
  (void)network.Graph();  // completes the net
  proto::NetDef net = network.net();
  const std::shared_ptr<unsigned char> data = network.Data();
  std::vector<uint16_t> all;
  for (proto::ConstTensor& tensor : *net.mutable_tensors()) {
    const auto* floats =
        reinterpret_cast<const float*>(data.get() + tensor.offset());
    all.resize(AlignUp(static_cast<int64_t>(all.size()), kAlignment / 2));
    tensor.set_offset(static_cast<int64_t>(2 * all.size()));
    const auto* fp16 = reinterpret_cast<const uint16_t*>(floats);
    if (tensor.data_type() != proto::DT_FLOAT || tensor.dims_size() < 2) {
      all.insert(all.end(), fp16, fp16 + 2 * tensor.data_size());
      continue;
    }
    tensor.set_stored_type(stored);
    for (int64_t i = 0; i < tensor.data_size(); ++i) {
      all.push_back(stored == proto::DT_HALF ? ToFp16(floats[i])
                                             : ToBfloat16(floats[i]));
    }
  }
  net.set_data_bytes(static_cast<int64_t>(2 * all.size()));
  net.set_data_xxh3(Hash64(all.data(), 2 * all.size()));
  const std::string graph = net.SerializeAsString();
  Write(path + ".pb", graph.data(), graph.size());
  Write(path + ".data", all.data(), 2 * all.size());
}

// Runs the model of these files; its peak is to be that of its parts.
void CheckPeak(const std::string& path) {
  std::shared_ptr<MaceModel> model;
  ASSERT_TRUE(MaceModel::Load(path + ".pb", path + ".data", &model).ok());
  for (int threads : {1, 2}) {
    MaceEngineConfig config;
    ASSERT_TRUE(config.SetCPUThreadPolicy(threads, AFFINITY_NONE).ok());
    std::shared_ptr<MaceEngine> engine;
    ASSERT_TRUE(MaceEngine::Create(model, {}, {}, config, &engine).ok());
    MaceMemoryUsage usage;
    ASSERT_TRUE(engine->GetMemoryUsage(&usage).ok());
    int64_t allowed = kEmptyProcess + kMargin + usage.head_bytes;
    for (const MaceMemoryCategory& c : usage.categories) {
      if (c.name == "weights" || c.name == "packed_weights") {
        allowed += c.used_bytes;
      }
    }
    const int64_t peak = PeakOfTwoRuns(
        {"tools/mace_run/mace_run", "--interactive",
         "--model_file=" + path + ".pb", "--model_data_file=" + path + ".data",
         "--num_threads=" + std::to_string(threads)});
    std::printf("peak of mace_run: %.1f MB with %d threads, allowed %.1f\n",
                peak / 1e6, threads, allowed / 1e6);
    EXPECT_GT(peak, usage.head_bytes);
    EXPECT_LE(peak, allowed);
  }
}

TEST(PeakMemory, IsWeightsPackedWeightsArenaAndLittleElse) {
  testing::ModelBuilder network = MobileNetV2();
  const std::vector<unsigned char> graph = network.Graph();
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/v2";
  Write(path + ".pb", graph.data(), graph.size());
  Write(path + ".data", network.Data().get(), network.data_size());
  CheckPeak(path);
}

// No copy of them all as floats.
TEST(PeakMemory, OfWeightsStoredAsFp16) {
  testing::ModelBuilder network = MobileNetV2();
  for (const auto stored : {proto::DT_HALF, proto::DT_BFLOAT16}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/half" +
                             std::to_string(stored);
    WriteAsFp16(network, stored, path);
    CheckPeak(path);
  }
}

}  // namespace
}  // namespace mace::test
