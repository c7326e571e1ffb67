// Making graphs with faults.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/testing/mutate.h"

#include <cstring>
#include <utility>

#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/packing/softmax_table.h"
#include "mace/hexagon/protocol/mat_mul_scratch.h"

namespace mace::hexagon::testing {
namespace {

constexpr OutputRange kAll = {-128, -128, 127};

Scaling SomeScaling() {
  Scaling scaling;
  scaling.factors = {ToFixed(0.001)};
  return scaling;
}

// A convolution and a depthwise one of 8 x 8 x 8.
int AddLayers(int x, Random* random, GraphWriter* writer) {
  const Bytes values = random->Bytes(512);
  QuantizedFilter w = {values.data(), true, 0, 8, 8, 1, 8, 1, 0};
  ConvParams conv = {};
  conv.batch = conv.groups = conv.is_signed = 1;
  conv.h = conv.w = {8, 8, 1, 1, 1, 0};
  conv.in_per_group = conv.out_per_group = 8;
  conv.y = kAll;
  const int a = writer->AddInner(512), b = writer->AddInner(512);
  AddConv(x, a, conv, std::move(*PackFilter(w, 1, SomeScaling())), writer);
  DepthwiseParams depthwise = {};
  depthwise.batch = depthwise.is_signed = 1;
  depthwise.h = depthwise.w = {8, 8, 3, 1, 1, 1};
  depthwise.channels = 8;
  depthwise.y = kAll;
  w = {values.data(), true, 0, 8, 1, 9, 9, 9, 1};
  AddDepthwise(a, b, depthwise,
               std::move(*PackDepthwise(w, 3, 3, SomeScaling())), writer);
  return b;
}

// A product of matrices, indices, floats and back, and a resize, of 512
// quantized values.
void AddLaterOps(int x, int words, GraphWriter* writer) {
  const int y = writer->AddInner(512), z = writer->AddInner(512);
  MatMulParams mul = {};
  for (int32_t& n : mul.batch) n = 1;
  mul.batch[2] = 2;
  mul.a_strides[2] = mul.b_strides[2] = 1;
  mul.m = mul.n = mul.k = 16;
  mul.scale = ToFixed(0.01);
  mul.is_signed = mul.b_has_lines = 1;
  mul.y = kAll;
  const MatMulScratch scratch(16);
  writer->AddNode(
      kMatMul,
      {x, x, y, writer->AddScratch(static_cast<int64_t>(scratch.bytes()))},
      mul);
  const int indices = writer->AddOutput(32 * 8);
  writer->AddNode(kArgMax, {y, indices}, ArgMaxParams{2, 16, 16, 0, 1, 1, 1});
  const int floats = writer->AddInner(2048);
  writer->AddNode(kLookupWords, {y, words, floats}, LookupWordsParams{512});
  writer->AddNode(kQuantize, {floats, words, z},
                  QuantizeParams{512, ToFixed(50), 1, kAll});
  writer->AddNode(kResizeBilinearReal,
                  {z, words, words, writer->AddOutput(512)},
                  ResizeParams{1, 8, 8, 8, 8, 8});
}

}  // namespace

GraphWriter GraphOfAllOps(Random* random) {
  GraphWriter writer(2);
  const int x = writer.AddInput(512);
  const int b = AddLayers(x, random, &writer);
  const auto inner = [&writer] { return writer.AddInner(512); };
  const int pooled = inner(), sum = inner(), looked_up = inner();
  writer.AddNode(
      kPool, {b, pooled},
      PoolParams{
          1, {8, 8, 3, 1, 1, 1}, {8, 8, 3, 1, 1, 1}, 8, 0, 1, -128, 127});
  BinaryParams add = {};
  for (int i = 0; i < 3; ++i) add.extents[i] = 1;
  add.extents[3] = 512;
  add.a_strides[3] = add.b_strides[3] = add.is_signed = 1;
  add.a = add.b = add.scale = ToFixed(0.1);
  add.y = kAll;
  writer.AddNode(kBinary, {b, pooled, sum}, add);
  auto table = std::move(*MakeSoftmaxTable(0.1f));
  const int least = table.least_difference;
  const int exponentials = writer.AddConstant(std::move(table.exponentials));
  writer.AddNode(kLookup, {sum, exponentials, looked_up}, LookupParams{512});
  const int moved = inner(), gathered = inner(), reduced = inner();
  writer.AddNode(kFill, {moved}, FillParams{0, 512, 3});
  writer.AddNode(
      kMove, {looked_up, moved},
      MoveParams{
          {1, 2, 4, 8, 2}, 4, 0, {0, 256, 64, 8, 4}, 0, {0, 256, 8, 32, 4}});
  writer.AddNode(kGather, {moved, exponentials, gathered},
                 GatherParams{8, 8, 8, 8});
  writer.AddNode(kReduce, {gathered, reduced},
                 ReduceParams{4, 8, 16, 5, ToFixed(0.125), 1, kAll});
  const int out = writer.AddOutput(512), last = writer.AddOutput(512);
  writer.AddNode(kSoftmax, {gathered, exponentials, out},
                 SoftmaxParams{16, 32, least, 1});
  writer.AddNode(kResizeBilinear, {gathered, exponentials, exponentials, last},
                 ResizeParams{1, 8, 8, 8, 8, 8});
  AddLaterOps(gathered, exponentials, &writer);
  return writer;
}

uint32_t Mutate(uint8_t* text, uint32_t bytes, Random* random) {
  const auto words = static_cast<int32_t>(bytes / 4);
  const auto at = [text](int32_t i) { return text + 4 * i; };
  constexpr int32_t kEnds[] = {0,     1,   -1,  INT32_MAX, INT32_MIN,  65535,
                               65536, 127, 128, 1 << 30,   0x7fffff80, 255};
  for (int32_t n = random->Between(1, 4); n > 0; --n) {
    const int32_t i = random->Between(0, words - 1);
    const int32_t j = random->Between(0, words - 1);
    int32_t value = 0;
    std::memcpy(&value, at(i), 4);
    switch (random->Between(0, 4)) {
      case 0:
        value ^= static_cast<int32_t>(1u << random->Between(0, 31));
        break;
      case 1:
        value = kEnds[random->Between(0, 11)];
        break;
      case 2:
        value =
            static_cast<int32_t>(static_cast<uint32_t>(value) +
                                 static_cast<uint32_t>(random->Between(-3, 3)));
        break;
      case 3:
        std::memcpy(&value, at(j), 4);
        break;
      default:
        value = random->Between(-2000, 2000);
    }
    std::memcpy(at(i), &value, 4);
  }
  if (random->Between(0, 9) == 0) {
    return static_cast<uint32_t>(random->Between(0, static_cast<int>(bytes)));
  }
  return bytes;
}

}  // namespace mace::hexagon::testing
