// Graphs and messages with faults get an error code: the checks of the executor
// as compiled for this machine, with the sanitizers in their suite.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "mace/base/aligned_buffer.h"
#include "mace/hexagon/dsp_program/main/server.h"
#include "mace/hexagon/testing/mutate.h"

namespace mace::hexagon {
namespace {

using testing::Random;

// Memory of exactly the size that the executor is told.
struct Memory {
  explicit Memory(uint32_t n) : bytes(n) {
    const size_t padded = n + kTensorAlignment;
    owned = std::make_unique<uint8_t[]>(padded);
    const auto at = reinterpret_cast<uintptr_t>(owned.get() + padded - n);
    base = reinterpret_cast<uint8_t*>(at / kTensorAlignment * kTensorAlignment);
  }
  std::unique_ptr<uint8_t[]> owned;
  uint8_t* base;
  uint32_t bytes;
};

class MalformedGraphsTest : public ::testing::Test {
 protected:
  MalformedGraphsTest()
      : random_(1),
        writer_(testing::GraphOfAllOps(&random_)),
        graph_(std::make_unique<Graph>()) {
    EXPECT_TRUE(writer_.Plan().ok());
    ddr_ = std::make_unique<Memory>(writer_.buffer_bytes());
    vtcm_ = std::make_unique<Memory>(kVtcmBytes);
    writer_.WriteTo(ddr_->base);
    text_.assign(ddr_->base, ddr_->base + writer_.text_bytes());
  }

  DspError Create(uint32_t bytes) {
    const PoolMemory pools[] = {{ddr_->base, ddr_->bytes},
                                {vtcm_->base, vtcm_->bytes}};
    uint32_t place = 0;
    return CreateGraph(pools, 0, bytes, graph_.get(), &place);
  }

  template <typename T>
  T* At(size_t offset) {
    return reinterpret_cast<T*>(ddr_->base + offset);
  }
  GraphHeader* header() { return At<GraphHeader>(0); }
  TensorRecord* tensor(int i) {
    return At<TensorRecord>(sizeof(GraphHeader)) + i;
  }
  NodeRecord* node(int i) {
    return At<NodeRecord>(sizeof(GraphHeader) +
                          header()->tensors * sizeof(TensorRecord)) +
           i;
  }
  int32_t* words() {
    return reinterpret_cast<int32_t*>(node(static_cast<int>(header()->nodes)));
  }

  Random random_;
  GraphWriter writer_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Memory> ddr_, vtcm_;
  std::vector<uint8_t> text_;
};

TEST_F(MalformedGraphsTest, TheGraphItselfIsAccepted) {
  EXPECT_EQ(Create(writer_.text_bytes()), kDspOk);
  EXPECT_EQ(RunGraph(graph_.get(), 0, graph_->num_nodes),
            kNoKernels);  // on this machine
}

TEST_F(MalformedGraphsTest, MutatedGraphsGetAnErrorOrAreValid) {
  int refused = 0;
  for (int i = 0; i < 10000; ++i) {
    std::memcpy(ddr_->base, text_.data(), text_.size());
    const auto bytes = static_cast<uint32_t>(text_.size());
    const uint32_t mutation = testing::Mutate(ddr_->base, bytes, &random_);
    const DspError error = Create(mutation);
    ASSERT_LT(error, kNumDspErrors);
    if (error != kDspOk) ++refused;
  }
  // Most words matter; those of a few parameters may have many values.
  EXPECT_GT(refused, 6000);
}

TEST_F(MalformedGraphsTest, EveryPrefixIsRefused) {
  for (uint32_t bytes = 0; bytes < writer_.text_bytes(); bytes += 3) {
    EXPECT_EQ(Create(bytes), kBadHeader) << bytes;
  }
}

TEST_F(MalformedGraphsTest, NodesReadOnlyWhatIsWritten) {
  // The first node reads its own output: a cycle.
  int32_t* operands = words() + node(0)->first_word;
  operands[0] = operands[3];
  EXPECT_EQ(Create(writer_.text_bytes()), kBadOperand);
}

TEST_F(MalformedGraphsTest, NodesWriteNoInputsAndConstants) {
  int32_t* operands = words() + node(0)->first_word;
  operands[3] = operands[0];
  EXPECT_EQ(Create(writer_.text_bytes()), kBadOperand);
}

TEST_F(MalformedGraphsTest, TensorsLieInTheirPool) {
  tensor(0)->bytes = writer_.buffer_bytes();
  EXPECT_EQ(Create(writer_.text_bytes()), kBadTensor);
  tensor(0)->bytes = 0xffffffff;
  EXPECT_EQ(Create(writer_.text_bytes()), kBadTensor);
}

TEST_F(MalformedGraphsTest, CountsHaveALimit) {
  header()->tensors = kMaxTensors + 1;
  EXPECT_EQ(Create(writer_.text_bytes()), kTooLarge);
  header()->tensors = 0xffffffff;
  EXPECT_EQ(Create(writer_.text_bytes()), kTooLarge);
}

uint8_t* MapNothing(uint32_t, uint32_t, uint32_t) { return nullptr; }
void UnmapNothing(uint8_t*, uint32_t) {}

TEST(MessagesTest, RandomMessagesGetAnError) {
  Random random(2);
  const auto server = std::make_unique<Server>();
  server->mapper = {MapNothing, UnmapNothing};
  for (int i = 0; i < 10000; ++i) {
    Message message;
    message.command = static_cast<uint32_t>(random.Between(0, 9));
    for (uint32_t& arg : message.args) {
      arg = static_cast<uint32_t>(random.Between(-2, 20));
    }
    if (i % 5 == 0) message.magic ^= 1u << (i % 31);
    if (i % 7 == 0) message.version = static_cast<uint32_t>(i);
    const uint32_t command = message.command;
    const bool is_ours =
        message.magic == kMessageMagic && message.version == kProtocolVersion;
    server->Answer(&message);
    ASSERT_LT(message.error, kNumDspErrors);
    const bool succeeds = is_ours && (command == kHello || command == kQuit);
    ASSERT_EQ(message.error == kDspOk, succeeds) << command;
    ASSERT_EQ(message.version, kProtocolVersion);
  }
}

}  // namespace
}  // namespace mace::hexagon
