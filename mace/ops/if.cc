// If: one of two subgraphs, whichever the condition chooses.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   condition  bool, one element
//          captured   of any types: what the branches read of the graph around
//                     them. Each branch has an input for each of them
// Outputs  those of the branch that is taken. The shapes of the two may differ
// Attrs    then_branch, else_branch: names of subgraphs
// Errors   a condition that is not one bool; a branch with other numbers of
//          inputs or outputs
// Source   ONNX If-11, TensorFlow tf.cond, TFLite IF
//
// A plan takes the branch in place of the node as soon as the condition is
// known (mace/plan/types/deferred_subgraph.h), so that no device runs an If.

#include "mace/ops/common/attr_info.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

struct IfAttrs {
  std::string then_branch;
  std::string else_branch;
  template <typename V>
  void Fields(V& v) {
    v("then_branch", then_branch);
    v("else_branch", else_branch);
  }
};

Status InferIf(Node& node) {
  return NodeError(node,
                   "its branches are subgraphs of the model, which has "
                   "none");
}

}  // namespace

Op If() {
  return Op{"If", 1, kMany, kMany, InferIf, AttrsOf<IfAttrs>}.Knows(
      0, "condition");
}

}  // namespace mace::ops
