// Loop: a subgraph that runs again and again.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   count      i32 or i64, one element: the most iterations
//          condition  bool, one element: whether there is a first one
//          carried    of any types: values for the first iteration
//          captured   of any types: what the body reads of the graph around it
// Outputs  the last carried values, then what all iterations have made of each
//          further output of the body, stacked along a new axis 0
// Attrs    body: the name of a subgraph; carried: the number of carried values.
//          Inputs of the body: the number of the iteration (i64), the
//          condition, the carried values, and what it captures. Outputs: the
//          condition for the next iteration, the carried values for it, and
//          what is stacked
// Errors   another number of inputs or outputs; a carried value that changes
//          its element type; more iterations than max_loop_iterations; stacked
//          values of several shapes
// Source   ONNX Loop-13, TensorFlow tf.while_loop, TFLite WHILE
//
// The engine runs it between two plans (mace/runtime/control_flow), so that no
// device does.

#include "mace/ops/common/attr_info.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

struct LoopAttrs {
  std::string body;
  int64_t carried = 0;
  template <typename V>
  void Fields(V& v) {
    v("body", body);
    v("carried", carried);
  }
};

Status InferLoop(Node& node) {
  return NodeError(node, "its body is a subgraph of the model, which has none");
}

}  // namespace

Op Loop() { return Op{"Loop", 2, kMany, kMany, InferLoop, AttrsOf<LoopAttrs>}; }

}  // namespace mace::ops
