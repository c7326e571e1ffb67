// QuantizedLstm: a long short-term memory in int8, with cells in int16.
// SPDX-License-Identifier: Apache-2.0
//
// For each step, with gates i, o, f and g in this order in all weights:
//   a        = x W' + bias + h R', in units of 2^-12; what x adds and the sum
//              are bounded to 16 bits
//   i, o, f  = sigmoid(a), g = tanh(a), in units of 2^-15
//   c        = f c + i g
//   h        = o tanh(c)
// in the fixed-point arithmetic of TFLite's reference kernel, bit by bit.
//
// Inputs   x     i8   [T,B,I]; [B,T,I] with batch_major
//          w     i8   [4H,I], constant, zero point 0, one scale or one for
//                     each row, as for r
//          r     i8   [4H,H]
//          bias  i32  [4H], constant, in units of the scales of x and w
//          initial_h  i8   [B,H]
//          initial_c  i16  [B,H], zero point 0, its scale a power of 2 from
//                          2^-15 to 2^-9
// Outputs  y    i8   [T,B,H]; [B,T,H]
//          y_h  i8   [B,H]: the last state; quantized as initial_h, and so is y
//          y_c  i16  [B,H], quantized as initial_c
// Attrs    batch_major; cell_clip bounds c, as a real number; default 0: not
// Errors   operands that do not fit together, that are not quantized so, or
//          that are computed; a cell_clip that is negative or no number
// Source   TFLite UNIDIRECTIONAL_SEQUENCE_LSTM with int8 activations and int16
//          cells; gemmlowp's documentation of fixed-point arithmetic

#include "mace/ops/quantized_lstm.h"

#include <cmath>

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/quantized.h"

namespace mace {
namespace {

constexpr int kMinExponent = -15, kMaxExponent = -9;

Status CheckShape(const Node& node, size_t i, const Shape& shape,
                  const char* what) {
  const TensorType& type = node.inputs[i].type;
  if (type.shape == shape) return Status();
  return NodeError(node, "input ", i, " is ", ToString(type), ", it must be ",
                   what, ": ", ToString(shape));
}

Status CheckWeight(const Node& node, size_t i) {
  const Operand& weight = node.inputs[i];
  if (weight.data == nullptr) {
    return NodeError(node, "input ", i, " is computed, it must be a constant");
  }
  if (!weight.type.is_quantized()) {
    return NodeError(node, "input ", i, " ", ToString(weight.type),
                     " has no scale");
  }
  const Quantization& q = *weight.type.quantization;
  for (const int32_t zero : q.zero_points) {
    if (zero == 0) continue;
    return NodeError(node, "input ", i, " has the zero point ", zero,
                     ", it must be 0");
  }
  if (!q.is_per_axis() || q.axis == 0) return Status();
  return NodeError(node, "input ", i, " has scales along axis ", q.axis,
                   ", they must be along axis 0");
}

Status CheckQuantized(const Node& node, size_t i) {
  if (!node.inputs[i].type.is_quantized()) {
    return NodeError(node, "input ", i, " ", ToString(node.inputs[i].type),
                     " has no scale");
  }
  return CheckPerTensor(node, i);
}

// Returns k if the cells have the scale 2^k and no zero point.
Result<int> CellExponent(const Node& node) {
  const Quantization& q = *node.inputs[kQuantizedLstmC].type.quantization;
  int exponent = 0;
  const bool is_power = std::frexp(q.scale(), &exponent) == 0.5f;
  --exponent;
  if (is_power && q.zero_point() == 0 && exponent >= kMinExponent &&
      exponent <= kMaxExponent) {
    return exponent;
  }
  return NodeError(node, "input 5 (cells) has the scale ",
                   std::to_string(q.scale()), " and the zero point ",
                   q.zero_point(), ", it must have a power of 2 from 2^-15 to ",
                   "2^-9, and 0");
}

}  // namespace

Result<QuantizedLstmShape> ResolveQuantizedLstm(
    const Node& node, const QuantizedLstmAttrs& attrs) {
  MACE_RETURN_IF_ERROR(CheckRank(node, kQuantizedLstmX, 3, "[T,B,I]"));
  MACE_RETURN_IF_ERROR(CheckRank(node, kQuantizedLstmR, 2, "[4H,H]"));
  const Shape& x = node.inputs[kQuantizedLstmX].type.shape;
  QuantizedLstmShape s;
  s.steps = x[attrs.batch_major ? 1 : 0];
  s.batch = x[attrs.batch_major ? 0 : 1];
  s.inputs = x[2];
  s.hidden = node.inputs[kQuantizedLstmR].type.shape[1];
  MACE_ASSIGN_OR_RETURN(const int64_t rows,
                        CheckedMul(node, 4, s.hidden, "the gates"));
  MACE_RETURN_IF_ERROR(
      CheckShape(node, kQuantizedLstmW, {rows, s.inputs}, "[4H,I]"));
  MACE_RETURN_IF_ERROR(
      CheckShape(node, kQuantizedLstmR, {rows, s.hidden}, "[4H,H]"));
  MACE_RETURN_IF_ERROR(CheckShape(node, kQuantizedLstmBias, {rows}, "[4H]"));
  for (const size_t i : {kQuantizedLstmH, kQuantizedLstmC}) {
    MACE_RETURN_IF_ERROR(CheckShape(node, i, {s.batch, s.hidden}, "[B,H]"));
  }
  MACE_RETURN_IF_ERROR(CheckWeight(node, kQuantizedLstmW));
  MACE_RETURN_IF_ERROR(CheckWeight(node, kQuantizedLstmR));
  if (node.inputs[kQuantizedLstmBias].data == nullptr) {
    return NodeError(node, "input 3 (bias) is computed, it must be a constant");
  }
  for (const size_t i : {kQuantizedLstmX, kQuantizedLstmH, kQuantizedLstmC}) {
    MACE_RETURN_IF_ERROR(CheckQuantized(node, i));
  }
  MACE_ASSIGN_OR_RETURN(s.cell_exponent, CellExponent(node));
  if (!(attrs.cell_clip >= 0) || !std::isfinite(attrs.cell_clip)) {
    return NodeError(node, "cell_clip ", std::to_string(attrs.cell_clip),
                     " must be a number from 0 on");
  }
  // What the kernel needs for each step and gate.
  MACE_ASSIGN_OR_RETURN(const int64_t all,
                        CheckedMul(node, s.steps, s.batch, "the steps"));
  MACE_RETURN_IF_ERROR(
      CheckedMul(node, all, rows, "the gates of all steps").status());
  return s;
}

namespace ops {
namespace {

// y and the states after the last step are quantized like those before the
// first.
Status CheckStateScales(const Node& node) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const size_t like = i == 2 ? kQuantizedLstmC : kQuantizedLstmH;
    const QuantizationPtr& wanted = node.inputs[like].type.quantization;
    const QuantizationPtr declared = i < node.output_quantization.size()
                                         ? node.output_quantization[i]
                                         : nullptr;
    if (AreEqual(declared, wanted)) continue;
    return NodeError(node, "the file says that output ", i, " is quantized as",
                     ToString(declared), ", it must be as input ", like, ":",
                     ToString(wanted));
  }
  return Status();
}

Status InferQuantizedLstm(Node& node) {
  MACE_ASSIGN_OR_RETURN(const QuantizedLstmAttrs attrs,
                        ReadAttrs<QuantizedLstmAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const QuantizedLstmShape s,
                        ResolveQuantizedLstm(node, attrs));
  const Shape y = attrs.batch_major ? Shape{s.batch, s.steps, s.hidden}
                                    : Shape{s.steps, s.batch, s.hidden};
  const size_t num_outputs = node.outputs.size();
  const Shape state = {s.batch, s.hidden};
  node.outputs = {
      {DataType::kI8, y}, {DataType::kI8, state}, {DataType::kI16, state}};
  node.outputs.resize(num_outputs);
  return CheckStateScales(node);
}

}  // namespace

Op QuantizedLstm() {
  const auto only = [](DataType type) { return OneOf({type}); };
  return Op{
      "QuantizedLstm", 6, 6, 3, InferQuantizedLstm, AttrsOf<QuantizedLstmAttrs>}
      .ReadsMany()
      .Takes({only(DataType::kI8), only(DataType::kI8), only(DataType::kI8),
              only(DataType::kI32), only(DataType::kI8), only(DataType::kI16)})
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
