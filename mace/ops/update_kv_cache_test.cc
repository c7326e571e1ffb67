// UpdateKvCache, and Attention over what it writes: literal values are those of
// NumPy 1.26.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "mace/base/fp16.h"
#include "mace/testing/check_op.h"
#include "mace/testing/check_paths.h"

namespace mace::testing {
namespace {

TestTensor R(Shape shape, uint32_t seed) {
  return RandomF32(std::move(shape), seed);
}

template <typename T>
TestTensor Make(DataType dtype, Shape shape, const std::vector<T>& values) {
  TestTensor t;
  t.type = {dtype, std::move(shape)};
  t.bytes.resize(values.size() * sizeof(T));
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

TestTensor F16(Shape shape, const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (const float v : values) bits.push_back(ToFp16(v));
  return Make(DataType::kF16, std::move(shape), bits);
}

// Rows of int8 that end with their scale.
TestTensor Int8Rows(Shape shape, const std::vector<std::vector<int>>& rows,
                    const std::vector<float>& scales) {
  std::vector<int8_t> bytes;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (const int v : rows[r]) bytes.push_back(static_cast<int8_t>(v));
    int8_t scale[sizeof(float)];
    std::memcpy(scale, &scales[r], sizeof(scale));
    bytes.insert(bytes.end(), scale, scale + sizeof(scale));
  }
  return Make(DataType::kI8, std::move(shape), bytes);
}

OpCase Update(TestTensor cache, TestTensor rows, TestTensor position) {
  return {"UpdateKvCache",
          {},
          {std::move(cache), std::move(rows), std::move(position)}};
}

TEST(UpdateKvCache, WritesRowsAtThePosition) {
  CheckOp(Update(F32({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}),
                 F32({1, 2, 1, 1}, {-1, -2}), I64({1}, {1})),
          {F32({1, 2, 3, 1}, {1, -1, 3, 4, -2, 6})});
  // Heads in the last axis, a position for each sequence.
  CheckOp(Update(F32({2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 F32({2, 1, 2}, {-1, -2, -3, -4}), I32({2}, {1, 0})),
          {F32({2, 2, 2, 1}, {1, -1, 3, -2, -3, 6, -4, 8})});
  CheckOp(
      Update(F32({1, 1, 2, 1}, {1, 2}), F32({1, 1, 0, 1}, {}), I64({1}, {2})),
      {F32({1, 1, 2, 1}, {1, 2})});
}

TEST(UpdateKvCache, RoundsToTheTypeOfTheCache) {
  CheckOp(Update(F16({1, 1, 2, 2}, {1, 2, 3, 4}),
                 F32({1, 1, 1, 2}, {0.1f, 70000}), I64({1}, {0})),
          {F16({1, 1, 2, 2}, {0.1f, INFINITY, 3, 4})});
  // 0.5 / (2.54 / 127) is 25, -0.03 is -1.5, which rounds to even.
  CheckOp(
      Update(Int8Rows({1, 1, 2, 7}, {{1, 2, 3}, {4, 5, 6}}, {1, 2}),
             F32({1, 1, 1, 3}, {2.54f, 0.5f, -0.03f}), I64({1}, {1})),
      {Int8Rows({1, 1, 2, 7}, {{1, 2, 3}, {127, 25, -2}}, {1, 2.54f / 127})});
  CheckOp(Update(Int8Rows({1, 1, 1, 6}, {{1, 2}}, {1}),
                 F32({1, 1, 1, 2}, {0, 0}), I64({1}, {0})),
          {Int8Rows({1, 1, 1, 6}, {{0, 0}}, {0})});
}

TEST(UpdateKvCache, NanInARowOfInt8IsZero) {
  CheckOp(Update(Int8Rows({1, 1, 1, 7}, {{1, 2, 3}}, {1}),
                 F32({1, 1, 1, 3}, {std::nanf(""), -127, 12}), I64({1}, {0})),
          {Int8Rows({1, 1, 1, 7}, {{0, -127, 12}}, {1})});
}

TEST(UpdateKvCache, Errors) {
  const TestTensor cache = R({1, 2, 4, 3}, 1), rows = R({1, 2, 2, 3}, 2);
  for (const int64_t at : {int64_t{-1}, int64_t{3}, INT64_MAX}) {
    ExpectRunError(Update(cache, rows, I64({1}, {at})),
                   "2 rows at position " + std::to_string(at) +
                       " are not within the KV cache's capacity of 4 rows");
  }
  ExpectInferError(Update(R({2, 4, 3}, 1), rows, I64({1}, {0})),
                   "cache f32[2,4,3] must be [batch, heads, capacity, depth]");
  ExpectInferError(Update(Make<int8_t>(DataType::kI8, {1, 1, 1, 3}, {1, 2, 3}),
                          R({1, 1, 1, 1}, 1), I64({1}, {0})),
                   "depth + 4]");
  ExpectInferError(Update(cache, R({1, 2, 5, 3}, 1), I64({1}, {0})),
                   "do not fit cache");
  ExpectInferError(Update(cache, R({1, 2, 2, 4}, 1), I64({1}, {0})),
                   "do not fit cache");
  ExpectInferError(Update(cache, R({1, 3, 2, 3}, 1), I64({1}, {0})),
                   "it must have 2 heads");
  ExpectInferError(
      Update(R({6, 0, 3, 1}, 1), R({6, 1, 3, 1}, 1), I64({1}, {0})),
      "do not fit");
  ExpectInferError(Update(cache, rows, I64({2}, {0, 0})),
                   "position i64[2] must have 1 or 1 elements");
  ExpectInferError(Update(cache, rows, I64({}, {0})), "must have 1 or 1");
}

// The caches that Attention reads, and the floats for which they stand.
struct Caches {
  TestTensor k, v, k_floats, v_floats;
};

TestTensor CacheOf(DataType dtype, const TestTensor& floats,
                   TestTensor* rounded) {
  const int64_t depth = floats.type.shape[3];
  const int64_t rows = NumElements(floats.type.shape) / depth;
  std::vector<float> values;
  *rounded = floats;
  if (dtype == DataType::kF32) return floats;
  if (dtype == DataType::kF16) {
    for (int64_t i = 0; i < rows * depth; ++i) {
      values.push_back(FromFp16(ToFp16(floats.f32()[i])));
    }
    *rounded = F32(floats.type.shape, values);
    return F16(floats.type.shape, values);
  }
  std::vector<std::vector<int>> quantized(rows);
  std::vector<float> scales;
  for (int64_t r = 0; r < rows; ++r) {
    scales.push_back(0.001f * static_cast<float>(r % 7 + 1));
    for (int64_t i = 0; i < depth; ++i) {
      const float x = floats.f32()[r * depth + i] * 127;
      quantized[r].push_back(static_cast<int>(std::lround(x)));
      values.push_back(scales[r] * static_cast<float>(quantized[r][i]));
    }
  }
  *rounded = F32(floats.type.shape, values);
  Shape shape = floats.type.shape;
  shape[3] += 4;
  return Int8Rows(shape, quantized, scales);
}

Caches MakeCaches(DataType dtype, int64_t heads, int64_t capacity, int64_t k,
                  int64_t v) {
  Caches c;
  c.k = CacheOf(dtype, R({1, heads, capacity, k}, 2), &c.k_floats);
  c.v = CacheOf(dtype, R({1, heads, capacity, v}, 3), &c.v_floats);
  return c;
}

std::vector<TestTensor> Reference(const OpCase& c) {
  return RunOn(c, {1, 0, true});
}

// What Attention computes from floats, of which as many rows count.
std::vector<TestTensor> OverFloats(AttrMap attrs, const TestTensor& q,
                                   const Caches& c, int64_t keys) {
  attrs["keys"] = keys;
  attrs["at_end"] = int64_t{1};
  return Reference({"Attention", attrs, {q, c.k_floats, c.v_floats}});
}

TEST(KvCacheAttention, IsThatOfTheRowsBeforeThePosition) {
  for (const DataType dtype : {DataType::kF32, DataType::kF16, DataType::kI8}) {
    SCOPED_TRACE(Name(dtype));
    for (const int64_t depth : {3, 64, 80}) {
      const Caches c = MakeCaches(dtype, 2, 260, depth, depth + 1);
      for (const int64_t rows : {1, 5, 60}) {
        const TestTensor q = R({1, 6, rows, depth}, 1);
        for (const int64_t at : {0, 31, 200}) {
          const AttrMap attrs = {{"right_window", int64_t{0}}};
          CheckOp({"Attention", attrs, {q, c.k, c.v, Absent(), I64({1}, {at})}},
                  OverFloats(attrs, q, c, at + rows), 2e-5f);
        }
      }
    }
  }
}

TEST(KvCacheAttention, WithAWindowAndSoftcap) {
  for (const DataType dtype : {DataType::kF32, DataType::kF16, DataType::kI8}) {
    const Caches c = MakeCaches(dtype, 2, 280, 8, 8);
    for (const int64_t rows : {1, 70}) {
      const TestTensor q = R({1, 4, rows, 8}, 1);
      const AttrMap attrs = {{"right_window", int64_t{0}},
                             {"left_window", int64_t{17}},
                             {"softcap", 0.3f},
                             {"scale", 2.0f}};
      CheckOp({"Attention", attrs, {q, c.k, c.v, Absent(), I32({1}, {200})}},
              OverFloats(attrs, q, c, 200 + rows), 2e-5f);
    }
  }
}

TestTensor Query() { return F32({1, 1, 1, 1}, {1}); }
TestTensor Keys() {
  return F32({1, 1, 4, 1}, {0, 0, 0, INFINITY});  // the last one is not read
}
TestTensor Values() { return F32({1, 1, 4, 1}, {8, 4, 1, NAN}); }
TestTensor At(int64_t position) { return I64({1}, {position}); }

TEST(KvCacheAttention, SinkKeysCountBeforeTheWindow) {
  const AttrMap attrs = {{"right_window", int64_t{0}},
                         {"left_window", int64_t{0}},
                         {"sink_keys", int64_t{1}}};
  CheckOp({"Attention", attrs, {Query(), Keys(), Values(), Absent(), At(2)}},
          {F32({1, 1, 1, 1}, {4.5f})});
  CheckOp({"Attention", attrs, {Query(), Keys(), Values(), Absent(), At(0)}},
          {F32({1, 1, 1, 1}, {8})});
  // Without a position, with more sinks than keys.
  const AttrMap all = {{"left_window", int64_t{0}}, {"sink_keys", int64_t{9}}};
  CheckOp({"Attention",
           all,
           {Query(), F32({1, 1, 2, 1}, {0, 0}), F32({1, 1, 2, 1}, {2, 4})}},
          {F32({1, 1, 1, 1}, {3})});
}

TEST(KvCacheAttention, SinksTakePartInTheSoftmax) {
  // Three keys of the score 0, and a sink of log 5: 13 / 8.
  CheckOp({"Attention",
           {},
           {Query(), Keys(), Values(), Absent(), At(2), Absent(),
            F32({1}, {std::log(5.0f)})}},
          {F32({1, 1, 1, 1}, {13.0f / 8})});
  // A sink above all scores, and one without keys.
  CheckOp(
      {"Attention",
       {},
       {Query(), Keys(), Values(), Absent(), At(2), Absent(), F32({1}, {200})}},
      {F32({1, 1, 1, 1}, {0})});
  CheckOp({"Attention",
           {},
           {Query(), F32({1, 1, 2, 1}, {0, 0}), F32({1, 1, 2, 1}, {2, 4}),
            Bool({2}, {0, 0}), Absent(), Absent(), F32({1}, {1})}},
          {F32({1, 1, 1, 1}, {0})});
}

// The slopes and biases of Press et al.: a head with the slope m adds -m times
// the distance.
TEST(KvCacheAttention, SlopesAreThoseOfAlibi) {
  for (const int64_t rows : {1, 3, 61}) {
    const TestTensor q = R({1, 2, rows, 4}, 1), k = R({1, 2, 80, 4}, 2);
    const TestTensor v = R({1, 2, 80, 4}, 3);
    const std::vector<float> slopes = {0.5f, 0.0625f};
    const int64_t at = 9, keys = at + rows;
    std::vector<float> mask;
    for (const float slope : slopes) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t t = 0; t < keys; ++t) {
          mask.push_back(-slope * static_cast<float>(at + i - t));
        }
      }
    }
    const OpCase as_mask = {
        "Attention",
        {{"right_window", int64_t{0}}, {"keys", keys}, {"at_end", int64_t{1}}},
        {q, k, v, F32({1, 2, rows, keys}, mask)}};
    CheckOp({"Attention",
             {{"right_window", int64_t{0}}},
             {q, k, v, Absent(), At(at), F32({2}, slopes)}},
            Reference(as_mask));
    CheckOp(
        {"Attention",
         {{"right_window", int64_t{0}}, {"keys", keys}, {"at_end", int64_t{1}}},
         {q, k, v, Absent(), Absent(), F32({2}, slopes)}},
        Reference(as_mask));
  }
}

// Each sequence of a batch has a position of its own; masks count keys of the
// whole capacity.
TEST(KvCacheAttention, BatchesAndMasks) {
  const TestTensor k = R({2, 1, 40, 8}, 2), v = R({2, 1, 40, 8}, 3);
  for (const int64_t rows : {1, 4}) {
    const TestTensor q = R({2, 2, rows, 8}, 1);
    CheckOp({"Attention",
             {{"right_window", int64_t{0}}},
             {q, k, v, Absent(), I64({2}, {30, 3})}},
            2e-5f);
    CheckOp(
        {"Attention", {}, {q, k, v, R({2, 2, rows, 40}, 4), I64({2}, {30, 3})}},
        2e-5f);
  }
  // q of [N, S, heads * D], whose result is, too.
  CheckOp({"Attention",
           {{"heads", int64_t{2}}, {"right_window", int64_t{0}}},
           {R({2, 3, 16}, 1), k, v, Absent(), I64({2}, {30, 3})}},
          2e-5f);
}

TEST(KvCacheAttention, Errors) {
  const TestTensor q = R({1, 2, 3, 4}, 1), k = R({1, 1, 5, 4}, 2);
  const auto with = [&](AttrMap attrs, TestTensor position) {
    return OpCase{"Attention", std::move(attrs), {q, k, k, Absent(), position}};
  };
  ExpectRunError(with({}, At(3)),
                 "3 rows at position 3 are not within the KV cache's capacity "
                 "of 5 rows");
  ExpectRunError(with({}, At(-1)), "position -1");
  ExpectInferError(with({{"keys", int64_t{3}}}, At(0)),
                   "must not be given beside a position");
  ExpectInferError(with({{"at_end", int64_t{1}}}, At(0)),
                   "must not be given beside a position");
  ExpectInferError(with({}, I64({2}, {0, 0})),
                   "position i64[2] must have 1 or 1 elements");
  ExpectInferError(with({{"sink_keys", int64_t{-1}}}, At(0)),
                   "sink_keys -1 must not be negative");
  ExpectInferError(
      {"Attention", {}, {q, k, k, Absent(), Absent(), F32({3}, {1, 2, 3})}},
      "one value per head");
  ExpectInferError(
      {"Attention",
       {{"heads", int64_t{1}}},
       {R({1, 1, 4}, 1),
        Make<int8_t>(DataType::kI8, {1, 1, 8}, std::vector<int8_t>(8)),
        Make<int8_t>(DataType::kI8, {1, 1, 8}, std::vector<int8_t>(8))}},
      "a KV cache of int8 must be [batch, heads, rows, depth + 4]");
}

}  // namespace
}  // namespace mace::testing
