// WeightFloats: a constant operand as floats while it is packed.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_WEIGHT_FLOATS_H_
#define MACE_CPU_WEIGHT_FLOATS_H_

#include "mace/base/aligned_buffer.h"
#include "mace/base/half.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// The floats of `operand`: its own, or in `copy` if it is stored as halves.
// REQUIRES: an f32 with contents. Errors: MACE_OUT_OF_RESOURCES.
inline Result<const float*> WeightFloats(const Operand& operand,
                                         AlignedBuffer* copy) {
  if (operand.stored == DataType::kInvalid) {
    return static_cast<const float*>(operand.data);
  }
  MACE_ASSIGN_OR_RETURN(*copy, AlignedBuffer::Create(Bytes(operand.type)));
  auto* floats = static_cast<float*>(copy->data());
  const auto* halves = static_cast<const uint16_t*>(operand.data);
  (operand.stored == DataType::kF16 ? WidenHalves : WidenBfloat16s)(
      halves, NumElements(operand.type.shape), floats);
  return static_cast<const float*>(floats);
}

}  // namespace mace::cpu

#endif  // MACE_CPU_WEIGHT_FLOATS_H_
