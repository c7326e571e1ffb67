// Range: start, start + delta, ... up to but excluding limit.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   start, limit, delta  f32, i32 or i64, one element each; known
//                               before the model runs
// Outputs  y  of their type, [max(0, ceil((limit - start) / delta))]
// Attrs    none
// Errors   a delta of 0; a NaN; more than one element
// Source   ONNX Range-11, TensorFlow tf.range

#include "mace/ops/range.h"

#include <cmath>
#include <cstring>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

// Returns ceil((limit - start) / delta), at least 0, without overflow.
uint64_t CountInts(int64_t start, int64_t limit, int64_t delta) {
  const bool up = delta > 0;
  if (up ? start >= limit : start <= limit) return 0;
  const uint64_t s = static_cast<uint64_t>(start);
  const uint64_t l = static_cast<uint64_t>(limit);
  const uint64_t d = static_cast<uint64_t>(delta);
  const uint64_t distance = up ? l - s : s - l;
  const uint64_t step = up ? d : uint64_t{0} - d;
  return (distance - 1) / step + 1;
}

}  // namespace

Result<RangeSpec> RangeOf(const Node& node) {
  const bool floats = node.inputs[0].type.dtype == DataType::kF32;
  float f[3] = {};
  int64_t v[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    const Operand& operand = node.inputs[i];
    if (NumElements(operand.type.shape) != 1) {
      return NodeError(node, "input ", i, " is ", ToString(operand.type),
                       ", it must have one element");
    }
    MACE_ENSURE(operand.data != nullptr);
    if (floats) {
      std::memcpy(&f[i], operand.data, sizeof(float));
    } else {
      MACE_ASSIGN_OR_RETURN(const auto values, ConstantInts(node, i));
      v[i] = values[0];
    }
  }
  RangeSpec spec;
  spec.start = f[0];
  spec.delta = f[2];
  spec.start_int = v[0];
  spec.delta_int = v[2];
  const bool stands_still = floats ? f[2] == 0 : v[2] == 0;
  double count = NAN;
  if (floats && !stands_still) {
    count = std::ceil((static_cast<double>(f[1]) - f[0]) / f[2]);
  } else if (!stands_still) {
    count = static_cast<double>(CountInts(v[0], v[1], v[2]));
  }
  constexpr double kMax = 1ull << 48;
  if (!(count < kMax)) {
    const auto text = [&](int i) {
      return floats ? std::to_string(f[i]) : std::to_string(v[i]);
    };
    return NodeError(node, "from ", text(0), " to ", text(1),
                     " in steps "
                     "of ",
                     text(2), " is no finite range");
  }
  spec.count = count > 0 ? static_cast<int64_t>(count) : 0;
  return spec;
}

namespace ops {
namespace {

Status InferRange(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<NoAttrs>(node).status());
  MACE_ASSIGN_OR_RETURN(const RangeSpec spec, RangeOf(node));
  node.outputs = {{node.inputs[0].type.dtype, {spec.count}}};
  return Status();
}

}  // namespace

Op Range() {
  return Op{"Range", 3, 3, 1, InferRange, AttrsOf<NoAttrs>}
      .Takes({Numbers(), AsInput(0)})
      .Knows(0, "start")
      .Knows(1, "limit")
      .Knows(2, "delta");
}

}  // namespace ops
}  // namespace mace
