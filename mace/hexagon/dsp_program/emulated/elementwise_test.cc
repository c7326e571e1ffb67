// Pooling, arithmetic of two tensors, sums, tables and moves on the DSP.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "mace/hexagon/packing/graph_writer.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/random.h"
#include "mace/hexagon/testing/reference.h"

namespace mace::hexagon::testing {
namespace {

void ExpectSame(const Result<EmulatedRun>& run, const Bytes& expected) {
  ASSERT_TRUE(run.ok()) << run.status().information();
  ASSERT_EQ(run->output.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(int{run->output[i]}, int{expected[i]}) << "at " << i;
  }
}

void CheckPool(const PoolParams& p, uint32_t seed) {
  const Bytes x =
      Random(seed).Bytes(size_t{1} * p.batch * p.h.in * p.w.in * p.channels);
  const Bytes expected = ReferencePool(p, x);
  GraphWriter writer;
  const int in = writer.AddInput(static_cast<int64_t>(x.size()));
  const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
  writer.AddNode(kPool, {in, out}, p);
  ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
}

TEST(PoolTest, HasTheBitsOfTheReference) {
  uint32_t seed = 1;
  for (const int32_t is_signed : {0, 1}) {
    const int32_t least = is_signed != 0 ? -128 : 0;
    for (const int32_t is_max : {0, 1}) {
      for (const int32_t channels : {1, 31, 128, 200}) {
        for (const int32_t kernel : {1, 2, 3, 7}) {
          const int32_t pad = kernel / 2;
          const WindowParams h = {
              9, (9 + 2 * pad - kernel) / 2 + 1, kernel, 2, 1, pad};
          const WindowParams w = {8,  8 + 2 * pad - kernel + 1, kernel, 1, 1,
                                  pad};
          CheckPool(
              {1, h, w, channels, is_max, is_signed, least + 3, least + 250},
              seed++);
        }
      }
    }
  }
}

TEST(PoolTest, TakesAllPixels) {
  CheckPool({2, {7, 1, 7, 1, 1, 0}, {7, 1, 7, 1, 1, 0}, 1024, 0, 1, -128, 127},
            1);
  CheckPool({1, {31, 1, 31, 1, 1, 0}, {29, 1, 29, 1, 1, 0}, 40, 0, 0, 0, 255},
            2);
}

BinaryParams RandomBinary(int32_t kind, int32_t is_signed, Random* random) {
  BinaryParams p = {};
  const int32_t least = is_signed != 0 ? -128 : 0;
  p.kind = kind;
  p.is_signed = is_signed;
  p.a_zero_point = least + random->Between(0, 255);
  p.b_zero_point = least + random->Between(0, 255);
  p.y = {least + random->Between(0, 255), least, least + 255};
  p.a = ToFixed(0.5);
  p.b = random->Factor(0.2);
  p.scale = kind == kMul || kind == kPRelu ? random->Factor(0.003)
            : kind == kSqrDiff             ? random->Factor(1.0 / (1 << 19))
                                           : random->Factor(1.5 / (1 << 20));
  return p;
}

void CheckBinary(const BinaryParams& p, Random* random, size_t a_bytes,
                 size_t b_bytes) {
  const Bytes a = random->Bytes(a_bytes), b = random->Bytes(b_bytes);
  const Bytes expected = ReferenceBinary(p, a, b);
  GraphWriter writer;
  const int first = writer.AddInput(static_cast<int64_t>(a.size()));
  const int second = writer.AddInput(static_cast<int64_t>(b.size()));
  const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
  writer.AddNode(kBinary, {first, second, out}, p);
  ExpectSame(RunOnce(&writer, {{first, a}, {second, b}}, out), expected);
}

TEST(BinaryTest, HasTheBitsOfTheReference) {
  Random random(2);
  for (int32_t kind = 0; kind < kNumBinaryKinds; ++kind) {
    for (const int32_t is_signed : {0, 1}) {
      for (const int32_t n : {1, 31, 32, 127, 128, 129, 1000}) {
        BinaryParams p = RandomBinary(kind, is_signed, &random);
        for (int i = 0; i < 4; ++i) p.extents[i] = 1;
        p.extents[3] = n;
        p.a_strides[3] = p.b_strides[3] = 1;
        CheckBinary(p, &random, n, n);
      }
    }
  }
}

TEST(BinaryTest, Broadcasts) {
  Random random(3);
  BinaryParams p = RandomBinary(kAdd, 1, &random);
  const int32_t extents[] = {2, 3, 4, 50};
  std::copy(extents, extents + 4, p.extents);
  const int32_t dense[] = {600, 200, 50, 1};
  std::copy(dense, dense + 4, p.a_strides);
  p.b_strides[3] = 1;  // one for each channel
  CheckBinary(p, &random, 1200, 50);
  const int32_t of_pixels[] = {12, 4, 1, 0};
  std::copy(of_pixels, of_pixels + 4, p.b_strides);
  CheckBinary(p, &random, 1200, 24);
}

TEST(ReduceTest, HasTheBitsOfTheReference) {
  Random random(4);
  for (const int32_t is_signed : {0, 1}) {
    for (const int32_t inner : {1, 33, 128, 300}) {
      const int32_t least = is_signed != 0 ? -128 : 0;
      const ReduceParams p = {3,
                              49,
                              inner,
                              random.Between(-6000, 6000),
                              random.Factor(0.02),
                              is_signed,
                              {least + 100, least, least + 255}};
      const Bytes x = random.Bytes(size_t{3} * 49 * inner);
      const Bytes expected = ReferenceReduce(p, x);
      GraphWriter writer;
      const int in = writer.AddInput(static_cast<int64_t>(x.size()));
      const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
      writer.AddNode(kReduce, {in, out}, p);
      ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
    }
  }
}

TEST(LookupTest, TakesEveryByte) {
  Random random(5);
  const Bytes table = random.Bytes(256);
  for (const int32_t n : {1, 127, 128, 1000}) {
    Bytes x(n);
    for (int32_t i = 0; i < n; ++i) x[i] = static_cast<uint8_t>(i * 37);
    Bytes expected;
    for (const uint8_t value : x) expected.push_back(table[value]);
    GraphWriter writer;
    const int in = writer.AddInput(n);
    const int entries = writer.AddConstant(table.data(), 256);
    const int out = writer.AddOutput(n);
    writer.AddNode(kLookup, {in, entries, out}, LookupParams{n});
    ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
  }
}

TEST(MoveTest, TransposesAndPads) {
  // [3, 5, 40] to [5, 3 + 1, 40] with a row of 9 before each.
  const Bytes x = Random(6).Bytes(600);
  Bytes expected(5 * 4 * 40, 9);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) {
      std::copy_n(&x[(i * 5 + j) * 40], 40, &expected[(j * 4 + i + 1) * 40]);
    }
  }
  GraphWriter writer;
  const int in = writer.AddInput(600);
  const int out = writer.AddOutput(800);
  writer.AddNode(kFill, {out}, FillParams{0, 800, 9});
  const MoveParams move = {{1, 1, 1, 3, 5},    40, 0,
                           {0, 0, 0, 200, 40}, 40, {0, 0, 0, 40, 160}};
  writer.AddNode(kMove, {in, out}, move);
  ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
}

TEST(MoveTest, TakesNegativeStridesAndSingleBytes) {
  const Bytes x = Random(7).Bytes(301);
  const Bytes expected(x.rbegin(), x.rend());
  GraphWriter writer;
  const int in = writer.AddInput(301);
  const int out = writer.AddOutput(301);
  const MoveParams move = {{1, 1, 1, 1, 301}, 1, 300,
                           {0, 0, 0, 0, -1},  0, {0, 0, 0, 0, 1}};
  writer.AddNode(kMove, {in, out}, move);
  ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
}

TEST(GatherTest, TakesRowsByIndex) {
  const Bytes x = Random(8).Bytes(2 * 4 * 37);
  const std::vector<int32_t> indices = {3, 0, 0, 2, 1};
  Bytes expected;
  for (int o = 0; o < 2; ++o) {
    for (const int32_t i : indices) {
      const auto at = x.begin() + (o * 4 + i) * 37;
      expected.insert(expected.end(), at, at + 37);
    }
  }
  GraphWriter writer;
  const int in = writer.AddInput(2 * 4 * 37);
  const int rows = writer.AddConstant(indices.data(), 20);
  const int out = writer.AddOutput(2 * 5 * 37);
  writer.AddNode(kGather, {in, rows, out}, GatherParams{2, 4, 5, 37});
  ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
}

TEST(ResizeTest, InterpolatesWithTenBits) {
  const int32_t channels = 70;
  const Bytes x = Random(9).Bytes(3 * 2 * channels);
  // Index, next index, and weight of the next one.
  const std::vector<int32_t> rows = {0, 1, 0,    0, 1, 512,
                                     1, 2, 1023, 2, 2, -256};
  const std::vector<int32_t> columns = {0, 1, 341, 1, 1, 77};
  Bytes expected;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int32_t dy = rows[3 * i + 2], dx = columns[3 * j + 2];
      for (int c = 0; c < channels; ++c) {
        const auto value = [&](int row, int column) {
          return int64_t{ValueAt(
              x,
              (rows[3 * i + row] * 2 + columns[3 * j + column]) * channels + c,
              1)};
        };
        const int64_t v = value(0, 0) * (1024 - dy) * (1024 - dx) +
                          value(1, 0) * dy * (1024 - dx) +
                          value(0, 1) * (1024 - dy) * dx +
                          value(1, 1) * dy * dx;
        expected.push_back(static_cast<uint8_t>(std::min<int64_t>(
            127, std::max<int64_t>(
                     -128, (v + (v > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20)))));
      }
    }
  }
  GraphWriter writer;
  const int in = writer.AddInput(static_cast<int64_t>(x.size()));
  const int r = writer.AddConstant(rows.data(), 48);
  const int c = writer.AddConstant(columns.data(), 24);
  const int out = writer.AddOutput(static_cast<int64_t>(expected.size()));
  writer.AddNode(kResizeBilinear, {in, r, c, out},
                 ResizeParams{1, 3, 2, 4, 2, channels});
  ExpectSame(RunOnce(&writer, {{in, x}}, out), expected);
}

}  // namespace
}  // namespace mace::hexagon::testing
