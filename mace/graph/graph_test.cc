// Types, attributes and printing.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/graph.h"

#include <gtest/gtest.h>

#include "mace/graph/attrs.h"

namespace mace {
namespace {

TEST(TensorType, CheckedSizes) {
  EXPECT_EQ(*CheckedNumElements({}), 1);
  EXPECT_EQ(*CheckedNumElements({2, 3, 4}), 24);
  EXPECT_EQ(*CheckedNumElements({0, 3}), 0);
  EXPECT_FALSE(CheckedNumElements({2, -1}).ok());
  const int64_t big = int64_t{1} << 40;
  EXPECT_FALSE(CheckedNumElements({big, big}).ok());
  EXPECT_FALSE(CheckedNumElements({big, big, 0}).ok())
      << "an empty tensor does not excuse an absurd extent";
  EXPECT_EQ(*CheckedBytes({DataType::kI64, {3}}), 24);
  EXPECT_EQ(ToString(TensorType{DataType::kBF16, {1, 2}}), "bf16[1,2]");
}

// Of three extents near the ends of 31, 32, 61 to 64 bits, and factors of
// 2^64 + 1 and 2^32 + 1, whose products wrap to small numbers.
TEST(TensorType, SizesNearTheEndsOfIntegers) {
  std::vector<int64_t> extents = {0, 1, 2, 3, 641, 6700417, INT64_MAX};
  for (const int bits : {31, 32, 61, 62}) {
    for (int64_t near = -1; near <= 1; ++near) {
      extents.push_back((int64_t{1} << bits) + near);
    }
  }
  // The exact result, or above what an int64_t holds.
  const auto times = [](double exact, int64_t n) {
    return exact * static_cast<double>(n);
  };
  int accepted = 0;
  for (const int64_t a : extents) {
    for (const int64_t b : extents) {
      for (const int64_t c : extents) {
        const Shape shape = {a, b, c};
        const double about = times(times(static_cast<double>(a), b), c);
        const auto count = CheckedNumElements(shape);
        if (about > 1e19) {
          EXPECT_FALSE(count.ok()) << ToString({DataType::kU8, shape});
        }
        if (!count.ok()) continue;
        EXPECT_EQ(*count, a * b * c);  // without overflow, as `about` tells
        for (const DataType type :
             {DataType::kU8, DataType::kF16, DataType::kF32, DataType::kI64}) {
          const auto bytes = CheckedBytes({type, shape});
          const auto size = static_cast<int64_t>(SizeOf(type));
          if (times(about, size) > 1e19) {
            EXPECT_FALSE(bytes.ok()) << ToString({type, shape});
          }
          if (!bytes.ok()) continue;
          EXPECT_EQ(*bytes / size, *count) << ToString({type, shape});
          ++accepted;
        }
      }
    }
  }
  EXPECT_GT(accepted, 1000);
}

struct AllKinds {
  int64_t i = 1;
  bool b = false;
  float f = 0.5f;
  std::string s = "x";
  std::vector<int64_t> is;
  std::vector<float> fs;

  template <typename V>
  void Fields(V& v) {
    v("i", i);
    v("b", b);
    v("f", f);
    v("s", s);
    v("is", is);
    v("fs", fs);
  }
};

TEST(ReadAttrs, DefaultsAndValues) {
  Node node;
  EXPECT_EQ(ReadAttrs<AllKinds>(node)->s, "x");
  node.attrs = {{"i", int64_t{7}},
                {"b", int64_t{1}},
                {"f", int64_t{3}},  // an int where a float is wanted
                {"s", std::string("y")},
                {"is", std::vector<int64_t>{1, 2}},
                {"fs", std::vector<float>{1.5f}}};
  const auto attrs = ReadAttrs<AllKinds>(node);
  ASSERT_TRUE(attrs.ok());
  EXPECT_EQ(attrs->i, 7);
  EXPECT_TRUE(attrs->b);
  EXPECT_EQ(attrs->f, 3);
  EXPECT_EQ(attrs->is, (std::vector<int64_t>{1, 2}));
}

TEST(ReadAttrs, Errors) {
  const auto error = [](const std::string& name, Attr value) {
    Node node;
    node.name = "n";
    node.op = "Op";
    node.attrs.emplace(name, std::move(value));
    return ReadAttrs<AllKinds>(node).status().information();
  };
  EXPECT_EQ(error("i", 1.5f), "Op 'n': attribute 'i' must be an integer");
  EXPECT_EQ(error("b", int64_t{2}), "Op 'n': attribute 'b' must be 0 or 1");
  EXPECT_EQ(error("is", int64_t{2}),
            "Op 'n': attribute 'is' must be a list of integers");
  EXPECT_EQ(error("q", int64_t{2}), "Op 'n': unknown attribute 'q'");
}

TEST(ConstantInts, BothWidths) {
  const int32_t narrow[] = {-1, 2};
  const int64_t wide[] = {int64_t{1} << 40};
  const float floats[] = {1};
  Node node;
  node.inputs = {{{DataType::kI32, {2}}, narrow, -1},
                 {{DataType::kI64, {}}, wide, -1},
                 {{DataType::kF32, {1}}, floats, -1}};
  EXPECT_EQ(*ConstantInts(node, 0), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(*ConstantInts(node, 1), (std::vector<int64_t>{int64_t{1} << 40}));
  EXPECT_FALSE(ConstantInts(node, 2).ok());
}

TEST(Dump, ShowsNodesAndTypes) {
  Graph graph;
  graph.name = "g";
  graph.values.resize(2);
  graph.values[0].name = "x";
  graph.values[0].type = {DataType::kF32, {2}};
  graph.values[1].name = "y";
  graph.inputs = {0};
  graph.outputs = {1};
  GraphNode g;
  g.node.name = "n";
  g.node.op = "Relu";
  g.node.attrs = {{"k", std::vector<int64_t>{1, 2}}};
  g.inputs = {0, -1};
  g.outputs = {1};
  graph.nodes.push_back(g);
  EXPECT_EQ(Dump(graph),
            "graph g\ninputs: x f32[2]\nRelu 'n' (x f32[2], -) -> y k=[1,2]\n"
            "outputs: y\n");
}

}  // namespace
}  // namespace mace
