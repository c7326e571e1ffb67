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
struct RecurrentActivation {
  RecurrentKind kind = RecurrentKind::kActivation;
  ActivationKind activation = ActivationKind::kNoop;
  float alpha = 0, beta = 0;
};

// The base of the attribute structs of the recurrent ops.
struct RecurrentAttrs {
  std::string direction = "FORWARD";  // REVERSE, BIDIRECTIONAL
  bool batch_major = false;  // x is [B,T,I], not [T,B,I]; likewise the outputs
  float clip = 0;  // bound of what activations are applied to; 0: none
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

// The extents of a recurrent node.
struct RecurrentShape {
  int64_t steps = 0, batch = 0, inputs = 0;
  int64_t directions = 1;
  int64_t gates = 1;
  int64_t hidden = 0;   // elements of a gate
  int64_t outputs = 0;  // elements of the state h, which may be projected
};

// Inputs that all recurrent ops have.
enum RecurrentInput : size_t {
  kRecurrentX = 0,
  kRecurrentW = 1,
  kRecurrentR = 2,
  kRecurrentBias = 3,
  kRecurrentLens = 4,
  kRecurrentH = 5,
};

// Checks the attributes and the operands above, and returns the extents.
// Errors: MACE_INVALID_MODEL.
Result<RecurrentShape> ResolveRecurrent(const Node& node,
                                        const RecurrentAttrs& attrs,
                                        int64_t gates);

// Checks that input `i`, if present, has the shape; `what` names its extents,
// as in "[directions, 8 * hidden]". Errors: MACE_INVALID_MODEL.
Status CheckRecurrentInput(const Node& node, size_t i, const Shape& shape,
                           const char* what);

// Checks that a state has the elements of a gate, as without a projection.
// Errors: MACE_INVALID_MODEL.
Status CheckRecurrentState(const Node& node, const RecurrentShape& shape);

// A bound must be a number from 0 on, where 0 stands for none. Errors:
// MACE_INVALID_MODEL.
Status CheckRecurrentBound(const Node& node, const char* attr, float value);

// Returns the shape of a state with `width` elements for each sequence.
Shape RecurrentStateShape(const RecurrentShape& shape, bool batch_major,
                          int64_t width);

// Sets the types of the outputs: y, the last h, and the last cell state if
// `has_cells`.
void SetRecurrentOutputs(Node& node, const RecurrentShape& shape,
                         bool batch_major, bool has_cells);

// Returns the activations with these names. Errors: MACE_INVALID_MODEL.
Result<std::vector<RecurrentActivation>> ResolveRecurrentActivations(
    const Node& node, const RecurrentAttrs& attrs,
    const std::vector<std::string>& names);

std::vector<Choice> RecurrentActivationChoices();
std::vector<Choice> RecurrentDirectionChoices();

}  // namespace mace

#endif  // MACE_OPS_COMMON_RECURRENT_H_
