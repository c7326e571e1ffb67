// The schema of each op is complete, and views have the bytes that they claim.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "mace/ops/common/op.h"
#include "mace/ops/common/slice_spec.h"

namespace mace {
namespace {

// A misspelt name in Op::Choices or Op::NamesAxes adds an attribute without a
// type.
TEST(Schema, AttributesHaveTypesAndTextsHaveChoices) {
  for (const Op* op : AllOps()) {
    for (const AttrInfo& attr : op->attrs) {
      ASSERT_NE(attr.type, nullptr) << op->name << " has no " << attr.name;
      const std::string type = attr.type;
      const std::string name = op->name;
      if (name == "If" || name == "Loop") continue;  // names of subgraphs
      EXPECT_EQ(type == "string" || attr.name == "padding",
                !attr.choices.empty() && attr.name != "p" &&
                    attr.name != "pooling_type" && attr.name != "round_mode")
          << op->name << " " << attr.name;
      if (attr.names_axes) {
        EXPECT_TRUE(type == "int" || type == "ints")
            << op->name << " " << attr.name;
      }
      for (const Choice& choice : attr.choices) {
        EXPECT_EQ(choice.value.index(), attr.initial.index());
      }
    }
  }
}

TEST(Schema, WhatIsNamedIsThere) {
  for (const Op* op : AllOps()) {
    const auto& with = op->types_with;
    const auto attr =
        std::find_if(op->attrs.begin(), op->attrs.end(),
                     [&](const AttrInfo& a) { return a.name == with.attr; });
    EXPECT_EQ(attr == op->attrs.end(), with.attr.empty()) << op->name;
    for (const Choice& value : with.values) {
      const auto& choices = attr->choices;
      EXPECT_TRUE(
          std::any_of(choices.begin(), choices.end(),
                      [&](const Choice& c) { return c.name == value.name; }))
          << op->name << " " << value.name;
    }
    for (const InputType& type : op->types) {
      EXPECT_LT(type.as, op->min_inputs) << op->name;
    }
    if (op->axis_order == AxisOrder::kNamed) {
      EXPECT_TRUE(std::any_of(op->attrs.begin(), op->attrs.end(),
                              [](const AttrInfo& a) { return a.names_axes; }))
          << op->name;
    }
  }
}

// Returns the offset of output `i` in elements, or -1 if it is not a view.
int64_t PartOf(const std::string& op, const Shape& x, const AttrMap& attrs,
               size_t num_outputs = 1, size_t i = 0) {
  Node node;
  node.name = "test";
  node.op = op;
  node.attrs = attrs;
  node.inputs.push_back({{DataType::kF32, x}, nullptr, -1});
  node.outputs.resize(num_outputs);
  const Status status = Infer(node);
  EXPECT_EQ(status, Status::MACE_SUCCESS) << status.information();
  const int64_t offset = ViewOffsets(node)[i];
  return offset < 0 ? offset : offset / 4;
}

using Ints = std::vector<int64_t>;

TEST(ViewOffsets, OfSlices) {
  const auto slice = [](const Shape& x, Ints starts, Ints ends, Ints axes = {},
                        Ints steps = {}) {
    return PartOf(
        "Slice", x,
        {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}});
  };
  EXPECT_EQ(slice({4, 6}, {1}, {3}), 6);
  EXPECT_EQ(slice({4, 6}, {-3}, {-1}), 6);
  // Bounds beyond the extent are clamped.
  EXPECT_EQ(slice({4, 6}, {-9}, {2}), 0);
  EXPECT_EQ(slice({4, 6}, {2}, {99}), 12);
  EXPECT_EQ(slice({1, 4, 6}, {1}, {3}, {1}), 6);
  EXPECT_EQ(slice({4, 6}, {1}, {3}, {1}), -1) << "columns of several rows";
  EXPECT_EQ(slice({4, 6}, {2, 1}, {3, 5}), 13) << "a part of one row";
  EXPECT_EQ(slice({4, 6}, {2, 1}, {4, 5}), -1);
  EXPECT_EQ(slice({4, 6}, {0}, {4}, {0}, {2}), -1);
  EXPECT_EQ(slice({4, 6}, {3}, {2}, {0}, {-1}), 18) << "one row, with any step";
  EXPECT_EQ(slice({4, 6}, {3}, {1}, {0}, {-1}), -1);
  EXPECT_EQ(slice({4, 6}, {2}, {2}), 0) << "an empty selection is everywhere";
  EXPECT_EQ(slice({}, {}, {}), 0);
}

TEST(ViewOffsets, OfStridedSlices) {
  const auto slice = [](const Shape& x, Ints begin, Ints end, int64_t shrink) {
    return PartOf("StridedSlice", x,
                  {{"begin", begin},
                   {"end", end},
                   {"shrink_axis_mask", shrink},
                   {"ellipsis_mask", int64_t{0}}});
  };
  EXPECT_EQ(slice({4, 6}, {2}, {3}, 1), 12);
  EXPECT_EQ(slice({4, 6}, {2, 3}, {3, 4}, 3), 15);
  EXPECT_EQ(slice({4, 6}, {0, 3}, {4, 4}, 2), -1);
}

TEST(ViewOffsets, OfSplitsAndViews) {
  const AttrMap sizes = {{"sizes", Ints{1, 3}}};
  EXPECT_EQ(PartOf("Split", {4, 6}, sizes, 2, 0), 0);
  EXPECT_EQ(PartOf("Split", {4, 6}, sizes, 2, 1), 6);
  const AttrMap columns = {{"axis", int64_t{-1}}};
  EXPECT_EQ(PartOf("Split", {4, 6}, columns, 3, 1), -1);
  EXPECT_EQ(PartOf("Split", {1, 6}, columns, 3, 1), 2);
  EXPECT_EQ(PartOf("Flatten", {4, 6, 2}, {}), 0);
  EXPECT_EQ(PartOf("Softmax", {4, 6}, {}), -1);
}

// Compares with the elements one by one.
TEST(PartOffset, IsTheFirstOfARunOfElements) {
  const Shape x = {2, 3, 4};
  for (int64_t k = 0; k < 6 * 6 * 10; ++k) {
    SliceSpec spec = WholeSlice(x);
    const int64_t picks[] = {k % 6, k / 6 % 6, k / 36};
    for (int d = 0; d < 3; ++d) {
      const int64_t start = picks[d] % x[d];
      SetSlice(d, x[d], start, start + 1 + picks[d] / x[d], 1, &spec);
    }
    std::vector<int64_t> at;
    for (int64_t a = 0; a < spec.counts[0]; ++a) {
      for (int64_t b = 0; b < spec.counts[1]; ++b) {
        for (int64_t c = 0; c < spec.counts[2]; ++c) {
          at.push_back(((spec.starts[0] + a) * 3 + spec.starts[1] + b) * 4 +
                       spec.starts[2] + c);
        }
      }
    }
    std::vector<int64_t> run(at.size());
    std::iota(run.begin(), run.end(), at[0]);
    EXPECT_EQ(PartOffset({DataType::kF32, x}, spec), at == run ? 4 * at[0] : -1)
        << ToString(spec.starts) << " " << ToString(spec.counts);
  }
}

}  // namespace
}  // namespace mace
