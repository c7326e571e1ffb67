// Elementwise functions, conversion and reduction: meaning and kernels. Literal
// values are those of onnxruntime 1.20 unless stated otherwise.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mace/testing/check_op.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Unary, Functions) {
  const std::vector<float> any = {0.5f, -1.5f, 2.5f, 0};
  const std::vector<float> unit = {0.5f, 0.25f, 0.75f, 0.99f};
  const std::vector<float> above = {1.5f, 1.25f, 1.75f, 1.99f};
  const struct {
    const char* type;
    std::vector<float> x, y;
  } kCases[] = {
      {"ABS", any, {0.5f, 1.5f, 2.5f, 0}},
      {"NEG", any, {-0.5f, 1.5f, -2.5f, 0}},
      {"EXP", any, {1.6487212f, 0.22313017f, 12.182494f, 1}},
      {"SQUARE", any, {0.25f, 2.25f, 6.25f, 0}},
      {"RECIPROCAL", any, {2, -0.6666667f, 0.4f, kInf}},
      {"FLOOR", any, {0, -2, 2, 0}},
      {"CEIL", any, {1, -1, 3, 0}},
      {"ROUND", any, {0, -2, 2, 0}},
      {"SIGN", any, {1, -1, 1, 0}},
      {"SIN", any, {0.47942555f, -0.997495f, 0.5984722f, 0}},
      {"COS", any, {0.87758255f, 0.0707372f, -0.8011436f, 1}},
      {"TAN", any, {0.5463025f, -14.10142f, -0.74702233f, 0}},
      {"ATAN", any, {0.4636476f, -0.98279375f, 1.19029f, 0}},
      {"SINH", any, {0.5210953f, -2.1292794f, 6.0502048f, 0}},
      {"COSH", any, {1.127626f, 2.3524096f, 6.1322894f, 1}},
      {"ASINH", any, {0.48121184f, -1.1947632f, 1.6472312f, 0}},
      {"ERF", any, {0.5204999f, -0.96610516f, 0.9995931f, 0}},
      {"LOG", unit, {-0.6931472f, -1.3862944f, -0.28768206f, -0.010050327f}},
      {"SQRT", unit, {0.70710677f, 0.5f, 0.8660254f, 0.9949874f}},
      {"RSQRT", unit, {1.4142135f, 2, 1.1547005f, 1.0050378f}},
      {"ASIN", unit, {0.5235988f, 0.25268024f, 0.8480621f, 1.4292569f}},
      {"ACOS", unit, {1.0471976f, 1.3181161f, 0.7227343f, 0.14153941f}},
      {"ATANH", unit, {0.54930615f, 0.25541282f, 0.9729551f, 2.646653f}},
      {"ACOSH", above, {0.9624237f, 0.6931472f, 1.1588104f, 1.3111651f}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.type);
    CheckOp({"Unary", {{"type", std::string(c.type)}}, {F32({4}, c.x)}},
            {F32({4}, c.y)}, 1e-6f);
  }
}

TEST(Unary, Tests) {
  const TestTensor x = F32({4}, {kNan, kInf, -kInf, 0});
  CheckOp({"Unary", {{"type", std::string("IS_NAN")}}, {x}},
          {Bool({4}, {1, 0, 0, 0})});
  CheckOp({"Unary", {{"type", std::string("IS_INF")}}, {x}},
          {Bool({4}, {0, 1, 1, 0})});
}

TEST(Unary, Integers) {
  CheckOp(
      {"Unary", {{"type", std::string("ABS")}}, {I32({3}, {-7, 7, INT32_MIN})}},
      {I32({3}, {7, 7, INT32_MIN})});
  CheckOp({"Unary", {{"type", std::string("NEG")}}, {I64({2}, {-7, 8})}},
          {I64({2}, {7, -8})});
  CheckOp({"Unary", {{"type", std::string("SIGN")}}, {I64({3}, {-7, 0, 9})}},
          {I64({3}, {-1, 0, 1})});
  CheckOp({"Unary", {{"type", std::string("SQUARE")}}, {I32({2}, {-7, 3})}},
          {I32({2}, {49, 9})});
}

TEST(Unary, LargeAndErrors) {
  CheckOp({"Unary",
           {{"type", std::string("EXP")}},
           {RandomF32({3, 10007}, 1, -5, 5)}},
          5e-7f);
  ExpectInferError({"Unary", {{"type", std::string("GAMMA")}}, {F32({1}, {1})}},
                   "type 'GAMMA' must be one of ABS, NEG");
  ExpectInferError({"Unary", {{"type", std::string("EXP")}}, {I32({1}, {1})}},
                   "input 0 is i32[1], it must be f32");
}

TEST(Clip, AttributesAndInputs) {
  const TestTensor x = F32({5}, {-2, 0.5f, 3, kNan, kInf});
  CheckOp({"Clip", {{"min", -1.0f}, {"max", 2.0f}}, {x}},
          {F32({5}, {-1, 0.5f, 2, kNan, 2})});
  CheckOp({"Clip", {}, {x}}, {x});
  CheckOp({"Clip", {{"max", 9.0f}}, {x, Absent(), F32({}, {1})}},
          {F32({5}, {-2, 0.5f, 1, kNan, 1})});
  CheckOp({"Clip", {{"min", 1.0f}}, {I64({3}, {-5, 1, INT64_MAX})}},
          {I64({3}, {1, 1, INT64_MAX})});
  CheckOp({"Clip", {{"min", kNan}, {"max", 1e10f}}, {I32({2}, {-5, 7})}},
          {I32({2}, {0, 7})});
  CheckOp({"Clip", {}, {I32({3}, {-5, 1, 9}), I32({1}, {0}), I32({1}, {4})}},
          {I32({3}, {0, 1, 4})});
  ExpectInferError({"Clip", {}, {x, F32({2}, {0, 1})}},
                   "limit f32[2] must have one element");
  ExpectInferError({"Clip", {}, {x, I32({}, {0})}}, "must be f32 as input 0");
}

std::string Bits(const char* to) { return to; }

TestTensor Raw16(DataType dtype, const std::vector<uint16_t>& bits) {
  TestTensor t;
  t.type = {dtype, {static_cast<int64_t>(bits.size())}, Layout::kRowMajor};
  const auto* p = reinterpret_cast<const uint8_t*>(bits.data());
  t.bytes.assign(p, p + 2 * bits.size());
  return t;
}

// Values from NumPy; for bfloat16, from ml_dtypes 0.5.
TEST(Cast, Fp16Types) {
  const std::vector<float> fp16 = {1.0009765625f, 65504, 65519.9f, 65520,
                                   1e-7f,         6e-8f, 2.9e-8f,  1 / 3.0f,
                                   -2.5f,         kInf};
  CheckOp({"Cast", {{"to", Bits("f16")}}, {F32({10}, fp16)}},
          {Raw16(DataType::kF16, {0x3c01, 0x7bff, 0x7bff, 0x7c00, 0x2, 0x1, 0,
                                  0x3555, 0xc100, 0x7c00})});
  CheckOp({"Cast",
           {{"to", Bits("f32")}},
           {Raw16(DataType::kF16,
                  {0x3c01, 0x7bff, 0x0002, 0x8001, 0x3555, 0xfc00, 0x7e00})}},
          {F32({7}, {1.0009766f, 65504, 1.1920929e-07f, -5.9604645e-08f,
                     0.33325195f, -kInf, kNan})},
          0);
  CheckOp({"Cast",
           {{"to", Bits("bf16")}},
           {F32({5},
                {1.00390625f, 1.01171875f, 3.1415927f, 3.3895314e38f, -2.5f})}},
          {Raw16(DataType::kBF16, {0x3f80, 0x3f82, 0x4049, 0x7f7f, 0xc020})});
  CheckOp({"Cast",
           {{"to", Bits("f32")}},
           {Raw16(DataType::kBF16, {0x3f82, 0xc020})}},
          {F32({2}, {1.015625f, -2.5f})}, 0);
}

TEST(Cast, Integers) {
  CheckOp({"Cast",
           {{"to", Bits("i32")}},
           {F32({6}, {-3.7f, 3.7f, 1e10f, -1e10f, kNan, 255.5f})}},
          {I32({6}, {-3, 3, INT32_MAX, INT32_MIN, 0, 255})});
  CheckOp({"Cast", {{"to", Bits("i64")}}, {F32({3}, {-3.7f, 1e30f, 1e10f})}},
          {I64({3}, {-3, INT64_MAX, 10000000000})});
  CheckOp({"Cast", {{"to", Bits("f32")}}, {I64({2}, {-3, 1 << 20})}},
          {F32({2}, {-3, 1 << 20})}, 0);
  CheckOp({"Cast", {{"to", Bits("i32")}}, {I64({2}, {-3, (1ll << 32) + 5})}},
          {I32({2}, {-3, 5})});
  CheckOp({"Cast", {{"to", Bits("bool")}}, {F32({3}, {0, 0.5f, -2})}},
          {Bool({3}, {0, 1, 1})});
  CheckOp({"Cast", {{"to", Bits("i64")}}, {Bool({2}, {0, 1})}},
          {I64({2}, {0, 1})});
  CheckOp({"Cast", {{"to", Bits("bool")}}, {I64({2}, {1ll << 40, 0})}},
          {Bool({2}, {1, 0})});
}

TEST(Cast, LargeEmptyAndErrors) {
  CheckOp({"Cast", {{"to", Bits("i64")}}, {RandomF32({70001}, 1, -9, 9)}});
  CheckOp({"Cast", {{"to", Bits("i8")}}, {F32({0}, {})}});
  CheckOp({"Cast", {{"to", Bits("f32")}}, {F32({1}, {3})}}, {F32({1}, {3})});
  ExpectInferError({"Cast", {{"to", Bits("f64")}}, {F32({1}, {3})}},
                   "to 'f64' must be one of f32, f16");
}

TEST(Reduce, Kinds) {
  const TestTensor x = F32({2, 3}, {1, -2, 3, 4, 5, -6});
  const struct {
    const char* type;
    std::vector<float> axis0, axis1, all;
  } kCases[] = {
      {"MEAN", {2.5f, 1.5f, -1.5f}, {0.6666667f, 1}, {0.8333333f}},
      {"MIN", {1, -2, -6}, {-2, -6}, {-6}},
      {"MAX", {4, 5, 3}, {3, 5}, {5}},
      {"PROD", {4, -10, -18}, {-6, -120}, {720}},
      {"SUM", {5, 3, -3}, {2, 3}, {5}},
      {"L1", {5, 7, 9}, {6, 15}, {21}},
      {"L2",
       {4.1231055f, 5.3851647f, 6.708204f},
       {3.7416575f, 8.774964f},
       {9.539392f}},
      {"SUM_SQUARE", {17, 29, 45}, {14, 77}, {91}},
      {"LOG_SUM_EXP",
       {4.0485873f, 5.000911f, 3.0001233f},
       {3.1328452f, 5.313274f},
       {5.4203267f}},
      {"LOG_SUM",
       {std::log(5.0f), std::log(3.0f), kNan},
       {std::log(2.0f), std::log(3.0f)},
       {std::log(5.0f)}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.type);
    const std::string type = c.type;
    CheckOp({"Reduce", {{"reduce_type", type}, {"axis", Ints{0}}}, {x}},
            {F32({3}, c.axis0)}, 1e-6f);
    CheckOp(
        {"Reduce",
         {{"reduce_type", type}, {"axis", Ints{-1}}, {"keepdims", int64_t{1}}},
         {x}},
        {F32({2, 1}, c.axis1)}, 1e-6f);
    CheckOp({"Reduce", {{"reduce_type", type}}, {x}}, {F32({}, c.all)}, 1e-6f);
  }
}

TEST(Reduce, Integers) {
  const TestTensor x = I64({2, 2}, {3, -4, 5, 6});
  const auto of = [&x](const char* type, Ints axis) {
    return OpCase{
        "Reduce",
        {{"reduce_type", std::string(type)}, {"axis", std::move(axis)}},
        {x}};
  };
  CheckOp(of("PROD", {}), {I64({}, {-360})});
  CheckOp(of("MEAN", {1}), {I64({2}, {0, 5})});
  CheckOp(of("L1", {0}), {I64({2}, {8, 10})});
  CheckOp(of("L2", {1}), {I64({2}, {5, 7})});
  CheckOp(of("MAX", {0}), {I64({2}, {5, 6})});
  CheckOp({"Reduce",
           {{"reduce_type", std::string("SUM")}},
           {I32({3}, {INT32_MAX, 1, 1}), Const(I64({1}, {0}))}},
          {I32({}, {INT32_MIN + 1})});
  // What is no integer is converted as by Cast.
  const auto converted = [](const char* type, std::vector<int32_t> terms,
                            int32_t y) {
    const auto n = static_cast<int64_t>(terms.size());
    CheckOp({"Reduce",
             {{"reduce_type", std::string(type)}},
             {I32({n}, std::move(terms))}},
            {I32({}, {y})});
  };
  converted("LOG_SUM_EXP", {}, INT32_MIN);
  converted("LOG_SUM", {0}, INT32_MIN);
  converted("LOG_SUM", {-1}, 0);
  converted("LOG_SUM_EXP", {INT32_MAX, INT32_MAX}, INT32_MAX);
  // The sum of squares wraps around and is negative.
  converted("L2", {INT32_MIN, INT32_MIN}, 0);
}

TEST(Reduce, Logical) {
  const TestTensor x = Bool({2, 3}, {1, 0, 1, 1, 1, 1});
  const auto of = [&x](const char* type, Ints axis) {
    return OpCase{
        "Reduce",
        {{"reduce_type", std::string(type)}, {"axis", std::move(axis)}},
        {x}};
  };
  CheckOp(of("ALL", {1}), {Bool({2}, {0, 1})});
  CheckOp(of("ALL", {0}), {Bool({3}, {1, 0, 1})});
  CheckOp(of("ANY", {}), {Bool({}, {1})});
  CheckOp({"Reduce", {{"reduce_type", std::string("ANY")}}, {Bool({0}, {})}},
          {Bool({}, {0})});
}

// The mean over every subset of the axes, against a sum over indices.
TEST(Reduce, EverySubsetOfAxes) {
  const Shape shape = {3, 4, 1, 5, 70};
  const TestTensor x = RandomF32(shape, 11);
  for (int mask = 1; mask < 32; ++mask) {
    Ints axes;
    Shape kept = shape;
    for (int d = 0; d < 5; ++d) {
      if ((mask >> d) & 1) {
        axes.push_back(d);
        kept[d] = 1;
      }
    }
    std::vector<double> sums(NumElements(kept));
    for (int64_t i = 0; i < NumElements(shape); ++i) {
      int64_t rest = i, at = 0, stride = 1;
      for (int d = 5; d-- > 0;) {
        at += kept[d] == 1 ? 0 : rest % shape[d] * stride;
        stride *= kept[d];
        rest /= shape[d];
      }
      sums[at] += x.f32()[i];
    }
    const double n = static_cast<double>(NumElements(shape)) /
                     static_cast<double>(sums.size());
    std::vector<float> means;
    for (double sum : sums) means.push_back(static_cast<float>(sum / n));
    SCOPED_TRACE(ToString(kept));
    CheckOp({"Reduce", {{"axis", axes}, {"keepdims", int64_t{1}}}, {x}},
            {F32(kept, means)}, 1e-6f);
  }
}

// Values from NumPy.
TEST(Reduce, EmptyAndLarge) {
  const TestTensor x = F32({0, 2}, {});
  const auto of = [&x](const char* type) {
    return OpCase{
        "Reduce", {{"reduce_type", std::string(type)}, {"axis", Ints{0}}}, {x}};
  };
  CheckOp(of("SUM"), {F32({2}, {0, 0})});
  CheckOp(of("PROD"), {F32({2}, {1, 1})});
  CheckOp(of("MEAN"), {F32({2}, {kNan, kNan})});
  CheckOp(of("MAX"), {F32({2}, {-kInf, -kInf})});
  CheckOp(of("LOG_SUM_EXP"), {F32({2}, {-kInf, -kInf})});
  CheckOp({"Reduce", {{"axis", Ints{1}}}, {x}}, {F32({0}, {})});
  CheckOp({"Reduce", {{"axis", Ints{1, 2}}}, {RandomF32({2, 33, 31, 130}, 1)}});
  CheckOp({"Reduce",
           {{"reduce_type", std::string("LOG_SUM_EXP")}},
           {F32({2}, {1000, 1000})}},
          {F32({}, {1000.6931f})});
}

// Numbers of channels around the blocks of four in images of a GPU.
TEST(Reduce, ChannelBlocks) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    const TestTensor x = RandomF32({2, 3, 5, c}, 1, 0.9f, 1.1f);
    for (const Ints& axis : {Ints{3}, Ints{1, 2}, Ints{0, 3}, Ints{}}) {
      for (const char* type : {"MEAN", "MIN", "PROD", "LOG_SUM_EXP"}) {
        for (int64_t keepdims : {0, 1}) {
          SCOPED_TRACE(type + ToString(Shape(axis)) + " of " +
                       std::to_string(c));
          CheckOp({"Reduce",
                   {{"reduce_type", std::string(type)},
                    {"axis", axis},
                    {"keepdims", keepdims}},
                   {x}});
        }
      }
    }
  }
}

// More pixels than a GPU reduces in one pass.
TEST(Reduce, LargeImages) {
  const TestTensor x = RandomF32({2, 37, 41, 5}, 1, 0.99f, 1.01f);
  for (const char* type : {"MEAN", "MIN", "MAX", "PROD", "SUM", "L1", "L2",
                           "SUM_SQUARE", "LOG_SUM_EXP"}) {
    for (const Ints& axis : {Ints{1, 2}, Ints{1, 2, 3}, Ints{}}) {
      SCOPED_TRACE(type + ToString(Shape(axis)));
      CheckOp({"Reduce",
               {{"reduce_type", std::string(type)}, {"axis", axis}},
               {x}});
    }
  }
}

// As in NumPy, PyTorch and TensorFlow, a NaN anywhere makes the result NaN; the
// last of four groups has ones only.
TEST(Reduce, NanStays) {
  const auto groups = [](int64_t n) {
    std::vector<float> x(static_cast<size_t>(4 * n), 1);
    const int64_t places[] = {0, n / 2, n - 1};
    for (int64_t g = 0; g < 3; ++g) x[g * n + places[g]] = kNan;
    return x;
  };
  for (const int64_t n : {3, 70, 1850}) {
    const auto count = static_cast<float>(n);
    const struct {
      const char* type;
      float ones;
    } kKinds[] = {{"MIN", 1},
                  {"MAX", 1},
                  {"MEAN", 1},
                  {"PROD", 1},
                  {"SUM", count},
                  {"L1", count},
                  {"L2", std::sqrt(count)},
                  {"SUM_SQUARE", count},
                  {"LOG_SUM", std::log(count)},
                  {"LOG_SUM_EXP", 1 + std::log(count)}};
    const std::vector<float> rows = groups(n);
    std::vector<float> columns(rows.size());
    for (int64_t g = 0; g < 4; ++g)
      for (int64_t i = 0; i < n; ++i) columns[i * 4 + g] = rows[g * n + i];
    for (const auto& kind : kKinds) {
      SCOPED_TRACE(kind.type + std::string(" of ") + std::to_string(n));
      const std::string type = kind.type;
      const TestTensor y = F32({4}, {kNan, kNan, kNan, kind.ones});
      CheckOp({"Reduce",
               {{"reduce_type", type}, {"axis", Ints{1}}},
               {F32({4, n}, rows)}},
              {y});
      CheckOp({"Reduce",
               {{"reduce_type", type}, {"axis", Ints{0}}},
               {F32({n, 4}, columns)}},
              {y});
      if (n != 1850) continue;
      CheckOp({"Reduce",
               {{"reduce_type", type}, {"axis", Ints{1, 2, 3}}},
               {F32({4, 37, 10, 5}, rows)}},
              {y});
    }
  }
}

TEST(Eltwise, NanStaysInMinAndMax) {
  for (const char* type : {"MIN", "MAX"}) {
    const TestTensor one = F32({5}, {kNan, 1, kNan, 2, -3});
    const TestTensor two = F32({5}, {1, kNan, kNan, 2, -3});
    CheckOp({"Eltwise", {{"type", std::string(type)}}, {one, two}},
            {F32({5}, {kNan, kNan, kNan, 2, -3})});
    CheckOp({"Eltwise", {{"type", std::string(type)}}, {one, F32({}, {kNan})}},
            {F32({5}, {kNan, kNan, kNan, kNan, kNan})});
  }
}

TEST(Unary, ChannelBlocks) {
  for (int64_t c : {1, 3, 4, 5, 8, 13}) {
    const TestTensor x = RandomF32({2, 3, 5, c}, 1, 0.5f, 2);
    CheckOp({"Unary", {{"type", std::string("LOG")}}, {x}}, 5e-7f);
    CheckOp({"Clip", {{"min", 0.75f}, {"max", 1.5f}}, {x}}, 0);
  }
}

TEST(Reduce, Errors) {
  const TestTensor x = F32({2}, {1, 2});
  ExpectInferError({"Reduce", {{"axis", Ints{1}}}, {x}},
                   "axis 1 is out of range for rank 1");
  ExpectInferError({"Reduce", {{"axis", Ints{0, -1}}}, {x}}, "twice");
  ExpectInferError({"Reduce", {{"reduce_type", std::string("MEDIAN")}}, {x}},
                   "reduce_type 'MEDIAN' must be one of MEAN, MIN");
  ExpectInferError({"Reduce", {{"reduce_type", std::string("S\xffM")}}, {x}},
                   "reduce_type 'S\\xffM' must be one of MEAN, MIN");
  ExpectInferError({"Reduce", {{"reduce_type", std::string("ALL")}}, {x}},
                   "input 0 is f32[2], it must be bool");
  ExpectInferError({"Reduce", {}, {Bool({1}, {1})}}, "it must be f32, i32");
}

}  // namespace
}  // namespace mace::testing
