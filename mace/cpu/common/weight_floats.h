// WeightFloats: a constant operand as floats, while it is being packed.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_WEIGHT_FLOATS_H_
#define MACE_CPU_COMMON_WEIGHT_FLOATS_H_

#include <memory>

#include "mace/base/memory_budget.h"
#include "mace/base/status.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Exists while one weight is packed. A copy counts against the current budget
// (base/memory_budget.h), and its memory goes back to the system at once.
// Movable.
class WeightFloats {
 public:
  // Uses the operand's own floats, or a converted copy if it is stored in
  // another type. The operand must outlive the object. REQUIRES: an f32
  // constant. Errors: MACE_OUT_OF_RESOURCES.
  static Result<WeightFloats> Create(const Operand& operand);

  // Returns all elements, row-major. Valid while the object, and the operand's
  // data, live.
  const float* data() const { return data_; }

 private:
  const float* data_ = nullptr;
  MemoryShare share_;
  std::shared_ptr<void> copy_;  // pages that go back to the system when freed
};

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_WEIGHT_FLOATS_H_
