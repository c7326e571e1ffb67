// Attributes and operands that the recurrent ops Lstm, Gru and Rnn share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_RECURRENT_H_
#define MACE_OPS_COMMON_RECURRENT_H_

#include <string>
#include <vector>

#include "mace/graph/node.h"
#include "mace/ops/common/activation_attrs.h"
#include "mace/ops/common/attr_info.h"

namespace mace {

// What a recurrent op applies to a gate: the activation of that name, or one of
// those that only recurrent ops have.
enum class RecurrentKind {
  kActivation,       // `activation` below
  kAffine,           // alpha x + beta
  kScaledTanh,       // alpha tanh(beta x)
  kThresholdedRelu,  // x > alpha ? x : 0
};
// `alpha` and `beta` are those of the model, or the defaults of ONNX (6 for
// RELUX, which ONNX lacks); of an ActivationKind, alpha is
// activation_coefficient (of RELUX, max_limit) and beta hardsigmoid_beta.
struct RecurrentActivation {
  RecurrentKind kind = RecurrentKind::kActivation;
  ActivationKind activation = ActivationKind::kNoop;
  float alpha = 0, beta = 0;
};

// The base of the attribute structs of the recurrent ops. The attributes that
// name activations are members of the structs themselves.
struct RecurrentAttrs {
  std::string direction = "FORWARD";  // REVERSE, BIDIRECTIONAL
  bool batch_major = false;  // x is [B,T,I], not [T,B,I]; likewise the outputs
  // Limits the inputs of activations to [-clip, clip], but not those of an
  // Lstm's output_activation; 0: no limit.
  float clip = 0;
  // Parameters of the op's activations in the order of its attributes, or empty
  // for the usual ones.
  std::vector<float> activation_alpha, activation_beta;

  template <typename V>
  void RecurrentFields(V& v) {
    v("direction", direction);
    v("batch_major", batch_major);
    v("clip", clip);
    v("activation_alpha", activation_alpha);
    v("activation_beta", activation_beta);
  }
};

// The sizes of a recurrent node. With T = steps, B = batch, I = inputs, D =
// directions, G = gates, H = hidden and P = outputs, the tensors are
//
//              x        w          r          bias      h, y_h   y
//  time-major  [T,B,I]  [D,GH,I]   [D,GH,P]   [D,2GH]   [D,B,P]  [T,D,B,P]
//  batch_major [B,T,I]  as above                        [B,D,P]  [B,T,D,P]
//
// The bias has that of w first, then that of r. Direction 0 goes forward,
// unless the node has one direction and it is REVERSE.
struct RecurrentShape {
  int64_t steps = 0, batch = 0, inputs = 0;
  int64_t directions = 1;
  int64_t gates = 1;
  int64_t hidden = 0;   // elements of a gate
  int64_t outputs = 0;  // elements of the state h, which may be projected
};

// Inputs that all recurrent ops have, by index. Only the first three are
// required. kRecurrentLens is [B]: the steps of each sequence.
enum RecurrentInput : size_t {
  kRecurrentX = 0,
  kRecurrentW = 1,
  kRecurrentR = 2,
  kRecurrentBias = 3,
  kRecurrentLens = 4,
  kRecurrentH = 5,
};

// Checks the attributes and the operands above, and returns the sizes for an op
// with `gates` gates. No size of w and r is 0, and all gates of all steps
// together are few enough for CheckedNumElements. Errors: MACE_INVALID_MODEL.
Result<RecurrentShape> ResolveRecurrent(const Node& node,
                                        const RecurrentAttrs& attrs,
                                        int64_t gates);

// Checks that input `i`, if present, has the shape; `what` names its extents,
// as in "[directions, 8 * hidden]". Errors: MACE_INVALID_MODEL.
Status CheckRecurrentInput(const Node& node, size_t i, const Shape& shape,
                           const char* what);

// Checks that the state has as many elements as a gate, as without a
// projection: outputs == hidden. Errors: MACE_INVALID_MODEL.
Status CheckRecurrentState(const Node& node, const RecurrentShape& shape);

// Checks that `value` of the attribute `attr`, a bound, is finite and not
// negative; 0 stands for no bound. Errors: MACE_INVALID_MODEL.
Status CheckRecurrentBound(const Node& node, const char* attr, float value);

// Returns the shape of a state with `width` elements for each sequence: [D, B,
// width], or [B, D, width] with batch_major.
Shape RecurrentStateShape(const RecurrentShape& shape, bool batch_major,
                          int64_t width);

// Sets the types of the outputs that the node has, from the first: y, the last
// h, and the last cell state if `has_cells`.
void SetRecurrentOutputs(Node& node, const RecurrentShape& shape,
                         bool batch_major, bool has_cells);

// Returns the activations with these names, which are the values of the op's
// attributes in their order; entry i of activation_alpha and activation_beta is
// for names[i]. Errors: MACE_INVALID_MODEL for an unknown name, another number
// of parameters, or one that is not finite.
Result<std::vector<RecurrentActivation>> ResolveRecurrentActivations(
    const Node& node, const RecurrentAttrs& attrs,
    const std::vector<std::string>& names);

// For Op::Choices.
std::vector<Choice> RecurrentActivationChoices();
std::vector<Choice> RecurrentDirectionChoices();

}  // namespace mace

#endif  // MACE_OPS_COMMON_RECURRENT_H_
