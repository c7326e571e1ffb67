// Graphs for the DSP have two pools of memory, and nodes that fit VTCM.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/packing/graph_writer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/packing/nodes.h"

namespace mace::hexagon {
namespace {

// A graph as the DSP reads it.
struct Accepted {
  DspError error = kDspOk;
  Graph graph;
  std::vector<uint8_t> buffer, vtcm;

  explicit Accepted(GraphWriter& writer) : vtcm(kVtcmBytes + 128) {
    const Status status = writer.Plan();
    EXPECT_TRUE(status.ok()) << status.information();
    buffer.resize(writer.buffer_bytes() + 128);
    writer.WriteTo(At(buffer));
    const PoolMemory pools[kNumPools] = {{At(buffer), writer.buffer_bytes()},
                                         {At(vtcm), kVtcmBytes}};
    uint32_t place = 0;
    error = CreateGraph(pools, 0, writer.text_bytes(), &graph, &place);
  }

  static uint8_t* At(std::vector<uint8_t>& bytes) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + (128 - address % 128) % 128;
  }
  uint32_t pool(int tensor) const { return graph.tensors[tensor].pool; }
};

// A chain of lookups between tensors of `bytes` bytes.
std::vector<int> AddChain(const std::vector<int64_t>& bytes, int table,
                          GraphWriter* writer) {
  std::vector<int> tensors;
  int from = writer->AddInput(bytes[0]);
  for (const int64_t n : bytes) {
    const int to = writer->AddInner(n);
    const LookupParams p = {static_cast<int32_t>(std::min(bytes[0], n))};
    writer->AddNode(kLookup, {from, table, to}, p);
    tensors.push_back(to);
    from = to;
  }
  return tensors;
}

TEST(GraphWriterTest, TensorsThatFitGoToVtcmAndTheOthersToDdr) {
  GraphWriter writer;
  const std::vector<uint8_t> table(256);
  const int entries = writer.AddConstant(table.data(), 256);
  const auto tensors =
      AddChain({60000, 60000, 300000, 150000, 90000, 200000}, entries, &writer);
  const Accepted accepted(writer);
  ASSERT_EQ(accepted.error, kDspOk);
  std::vector<uint32_t> pools;
  for (const int t : tensors) pools.push_back(accepted.pool(t));
  // 300000 never fits. The last one, which no node reads, lives shortest; 90000
  // does not fit beside it.
  EXPECT_EQ(pools,
            (std::vector<uint32_t>{kVtcm, kVtcm, kDdr, kVtcm, kDdr, kVtcm}));
  EXPECT_LE(writer.vtcm_bytes(), kVtcmBytes);
  EXPECT_GE(writer.vtcm_bytes(), 200000u);
}

TEST(GraphWriterTest, TensorsOfAPoolThatLiveAtOnceLieApart) {
  GraphWriter writer;
  const std::vector<uint8_t> table(256);
  const int entries = writer.AddConstant(table.data(), 256);
  std::vector<int64_t> bytes;
  for (int i = 0; i < 60; ++i) bytes.push_back(1000 + 7919 * i % 140000);
  const auto tensors = AddChain(bytes, entries, &writer);
  const Accepted accepted(writer);
  // Sizes differ, so that some nodes read less than they may.
  for (size_t i = 0; i + 1 < tensors.size(); ++i) {
    if (accepted.pool(tensors[i]) != accepted.pool(tensors[i + 1])) continue;
    const BufferRange a = writer.range(tensors[i]);
    const BufferRange b = writer.range(tensors[i + 1]);
    EXPECT_TRUE(a.offset + a.bytes <= b.offset ||
                b.offset + b.bytes <= a.offset)
        << i;
  }
}

// The rows that a convolution of `depth` inputs computes together.
int32_t RowsOf(int32_t depth, int slices, uint32_t* pool) {
  GraphWriter writer(slices);
  ConvParams p = {};
  p.batch = p.groups = p.is_signed = 1;
  p.h = p.w = {20, 18, 3, 1, 1, 0};
  p.in_per_group = depth;
  p.out_per_group = 8;
  p.y = {0, -128, 127};
  const int64_t taps = 9;
  const std::vector<int8_t> values(static_cast<size_t>(8 * taps * depth));
  Scaling scaling;
  scaling.factors = {ToFixed(0.01)};
  auto packed = PackFilter(
      {values.data(), true, 0, 8, depth, taps, depth * taps, taps, 1}, 1,
      scaling);
  EXPECT_TRUE(packed.ok());
  const int x = writer.AddInput(int64_t{20} * 20 * depth);
  AddConv(x, writer.AddOutput(int64_t{18} * 18 * 8), p, std::move(*packed),
          &writer);
  const Accepted accepted(writer);
  EXPECT_EQ(accepted.error, kDspOk);
  const NodeView node = accepted.graph.View(0);
  *pool = node.tensor(4).pool;
  return node.get<ConvParams>().rows;
}

TEST(GraphWriterTest, ConvolutionsComputeAsManyRowsAsVtcmHasRoomFor) {
  uint32_t pool = kNumPools;
  EXPECT_EQ(RowsOf(64, 1, &pool), 32);
  EXPECT_EQ(pool, kVtcm);
  EXPECT_EQ(RowsOf(64, 4, &pool), 32);
  EXPECT_EQ(pool, kVtcm);
  EXPECT_EQ(RowsOf(256, 4, &pool), 16);
  EXPECT_EQ(pool, kVtcm);
  EXPECT_EQ(RowsOf(1024, 1, &pool), 16);
  EXPECT_EQ(pool, kVtcm);
  EXPECT_EQ(RowsOf(4096, 4, &pool), 8);  // too large however few
  EXPECT_EQ(pool, kDdr);
}

}  // namespace
}  // namespace mace::hexagon
