// Every op that must know operands before the model runs refuses computed ones.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "mace/ops/common/op.h"

namespace mace {
namespace {

// Returns a node of the op with `count` inputs. All are computed, except those
// before input `known` that must be known, too.
Node NodeOf(const Op& op, int known) {
  static const int64_t kZeros[8] = {};
  Node node;
  node.name = "test";
  node.op = op.name;
  node.outputs.resize(1);
  for (int i = 0; i <= std::max(known, op.min_inputs - 1); ++i) {
    Operand operand;
    operand.type = {DataType::kI64, {2}};
    const bool is_known =
        std::any_of(op.known_inputs.begin(), op.known_inputs.end(),
                    [&](const KnownInput& k) { return k.index == i; });
    if (is_known && i != known) operand.data = kZeros;
    node.inputs.push_back(operand);
  }
  return node;
}

TEST(KnownInputs, AreRefusedIfComputed) {
  std::set<std::string> ops;
  for (const Op* op : AllOps()) {
    for (const KnownInput& known : op->known_inputs) {
      ops.insert(op->name);
      ASSERT_LT(known.index, op->max_inputs) << op->name;
      Node node = NodeOf(*op, known.index);
      const Status status = Infer(node);
      EXPECT_EQ(status, Status::MACE_INVALID_MODEL);
      EXPECT_EQ(status.information(),
                std::string(op->name) + " 'test': " + known.name + " (input " +
                    std::to_string(known.index) +
                    ", i64[2]) must be known before the model runs: a "
                    "constant, or computed from constants and shapes");
    }
  }
  EXPECT_EQ(ops, (std::set<std::string>{"Deconv2d", "Expand", "Fill", "If",
                                        "OneHot", "Pad", "Range", "Reduce",
                                        "Reshape", "Resize", "Slice", "Split",
                                        "StridedSlice", "Tile", "TopK"}));
}

TEST(KnownInputs, WithoutElementsAreKnown) {
  Node node;
  node.name = "test";
  node.op = "Fill";
  node.outputs.resize(1);
  node.inputs.push_back({{DataType::kI64, {0}}, nullptr, -1});
  EXPECT_EQ(Infer(node), Status::MACE_SUCCESS);
  EXPECT_TRUE(node.outputs[0].shape.empty());
}

}  // namespace
}  // namespace mace
