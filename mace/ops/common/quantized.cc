// Checks of quantized operands.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/quantized.h"

#include "mace/base/search.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

bool HasZeroPoints(const Quantization& q) {
  return AnyOf(q.zero_points, [](int32_t zero) { return zero != 0; });
}

const QuantizationPtr& DeclaredOf(const Node& node, size_t output) {
  static const auto* none = new QuantizationPtr;
  return output < node.output_quantization.size()
             ? node.output_quantization[output]
             : *none;
}

// The output must have one scale, not one for each index of an axis.
Status CheckOutputScale(const Node& node, size_t output) {
  const QuantizationPtr& q = DeclaredOf(node, output);
  if (q != nullptr && !q->is_per_axis()) return Status();
  return NodeError(node, "the file declares ",
                   q == nullptr ? "no scale" : "scales along an axis",
                   " for output ", output, "; it must have one scale, as x is ",
                   ToString(node.inputs[0].type));
}

// Quantized outputs have a scale if input 0 has one, but for those of Quantize.
Status CheckDeclared(const Node& node, size_t output) {
  const QuantizationPtr& q = DeclaredOf(node, output);
  const TensorType& type = node.outputs[output];
  // Others are floats, and answers of comparisons and indices.
  const bool may_be_quantized = type.dtype == DataType::kI8 ||
                                type.dtype == DataType::kU8 ||
                                type.dtype == DataType::kI16;
  const bool from_quantized =
      node.inputs[0].type.is_quantized() || node.op == "Quantize";
  if (from_quantized && may_be_quantized) return CheckOutputScale(node, output);
  if (q == nullptr) return Status();
  return NodeError(node, "the file says that output ", output,
                   " is quantized as", ToString(q), ", it is ", ToString(type));
}

// Whether the elements that share a scale along an axis of x are those along
// the same axis of output 0.
bool KeepsScales(const Op& op, const Node& node) {
  const TensorType& x = node.inputs[0].type;
  const Shape& shape = node.outputs[0].shape;
  const size_t axis = static_cast<size_t>(x.quantization->axis);
  const auto inner = [axis](const Shape& s) {
    return NumElements(Shape(s.begin() + static_cast<int64_t>(axis), s.end()));
  };
  return op.is_view && axis < shape.size() && shape[axis] == x.shape[axis] &&
         inner(shape) == inner(x.shape);
}

// Returns the quantization of the inputs whose values the op moves. Errors: two
// of them differ; it has scales along an axis that the outputs do not keep.
Result<QuantizationPtr> MovedQuantization(const Op& op, const Node& node) {
  // Others are conditions, indices and shapes.
  const DataType dtype = node.outputs[0].dtype;
  size_t first = 0;
  while (first < node.inputs.size() && node.inputs[first].type.dtype != dtype) {
    ++first;
  }
  if (first == node.inputs.size()) return QuantizationPtr();
  const TensorType& moved = node.inputs[first].type;
  for (size_t i = first + 1; i < node.inputs.size(); ++i) {
    const TensorType& type = node.inputs[i].type;
    if (type.dtype != moved.dtype ||
        AreEqual(type.quantization, moved.quantization)) {
      continue;
    }
    return NodeError(node, "input ", i, " is ", ToString(type), ", input ",
                     first, " is ", ToString(moved),
                     "; inputs must have the same scale and zero point");
  }
  if (moved.quantization != nullptr && moved.quantization->is_per_axis() &&
      (first > 0 || !KeepsScales(op, node))) {
    return NodeError(
        node, "input ", first, " is ", ToString(moved),
        "; the scales of an axis cannot be moved: quantize it with "
        "one scale, or put a Dequantize in front");
  }
  return moved.quantization;
}

}  // namespace

Status CheckQuantizedInputs(const Op& op, const Node& node) {
  if (op.on_quantized == OnQuantized::kMoves || node.inputs.empty()) {
    return Status();
  }
  if (op.on_quantized == OnQuantized::kComputes) return CheckPerTensor(node, 0);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorType& type = node.inputs[i].type;
    if (!type.is_quantized()) continue;
    return Unsupported(Label(node), ": input ", i, " is ", ToString(type),
                       ", and the op takes no quantized tensors; a Dequantize "
                       "in front of it makes floats of them");
  }
  return Status();
}

Status QuantizeOutputs(const Op& op, Node& node) {
  QuantizationPtr moved;
  if (op.on_quantized == OnQuantized::kMoves && !node.inputs.empty()) {
    MACE_ASSIGN_OR_RETURN(moved, MovedQuantization(op, node));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    TensorType& type = node.outputs[i];
    const QuantizationPtr& declared = DeclaredOf(node, i);
    if (op.on_quantized == OnQuantized::kComputes) {
      MACE_RETURN_IF_ERROR(CheckDeclared(node, i));
      type.quantization = declared;
      continue;
    }
    type.quantization = moved;
    if (declared == nullptr || AreEqual(declared, moved)) continue;
    return NodeError(node, "the file says that output ", i, " is quantized as",
                     ToString(declared), ", it is ", ToString(type));
  }
  return Status();
}

Status CheckPair(const Node& node) {
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  if (a.is_quantized() != b.is_quantized()) {
    return NodeError(node, "a is ", ToString(a), ", b is ", ToString(b),
                     "; both must be quantized, or neither");
  }
  MACE_RETURN_IF_ERROR(CheckDtypeAs(node, 1, 0));
  return CheckPerTensor(node, 1);
}

Status CheckPerTensor(const Node& node, size_t i) {
  const QuantizationPtr& q = node.inputs[i].type.quantization;
  if (q == nullptr || !q->is_per_axis()) return Status();
  return NodeError(node, "input ", i, " is ", ToString(node.inputs[i].type),
                   "; it must have one scale");
}

Status CheckFilterTypes(const Node& node, int axis) {
  const TensorType& x = node.inputs[0].type;
  const TensorType& w = node.inputs[1].type;
  const bool is_i16 = x.is_quantized() && x.dtype == DataType::kI16;
  if (is_i16) {
    MACE_RETURN_IF_ERROR(CheckDtype(node, 1, {DataType::kI8}));
  } else {
    MACE_RETURN_IF_ERROR(CheckDtypeAs(node, 1, 0));
  }
  if (!x.is_quantized()) {
    if (w.is_quantized()) {
      return NodeError(node, "w is ", ToString(w), ", x is ", ToString(x),
                       "; both must be quantized, or neither");
    }
    return CheckDtypeAs(node, 2, 0);
  }
  if (!w.is_quantized()) {
    return NodeError(node, "x is ", ToString(x), ", w is ", ToString(w),
                     "; both must be quantized, or neither");
  }
  if (x.dtype != DataType::kI8 && x.dtype != DataType::kU8 && !is_i16) {
    return NodeError(node, "x is ", ToString(x),
                     "; quantized tensors here are i8, u8 or i16");
  }
  const Quantization& q = *w.quantization;
  if (is_i16 && (HasZeroPoints(q) || HasZeroPoints(*x.quantization))) {
    return NodeError(node, "x is ", ToString(x), ", w is ", ToString(w),
                     "; with x of i16 both have zero points of 0");
  }
  if (q.is_per_axis() && (q.axis != axis || HasZeroPoints(q))) {
    return NodeError(node, "w is ", ToString(w), "; its scales may lie along ",
                     "axis ", axis, ", with zero points of 0");
  }
  if (!node.has_input(2)) return Status();
  if (is_i16) return CheckDtype(node, 2, {DataType::kI32, DataType::kI64});
  return CheckDtype(node, 2, {DataType::kI32});
}

}  // namespace mace
