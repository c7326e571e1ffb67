// Converting one weight to floats.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/weight_floats.h"

#include <sys/mman.h>

#include "mace/graph/stored_weight.h"

namespace mace::cpu {

Result<WeightFloats> WeightFloats::Create(const Operand& operand) {
  WeightFloats floats;
  floats.data_ = static_cast<const float*>(operand.data);
  const auto bytes = static_cast<size_t>(Bytes(operand.type));
  if (operand.stored == DataType::kInvalid || bytes == 0) return floats;
  MACE_ASSIGN_OR_RETURN(floats.share_, MemoryShare::Take(Bytes(operand.type),
                                                         "a weight's floats"));
  // Pages of their own, because the heap would keep what each weight needed.
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    return OutOfResources("the system cannot give ", bytes,
                          " bytes for a weight's floats");
  }
  floats.copy_ = {pages, [bytes](void* p) { munmap(p, bytes); }};
  WidenStored(operand, static_cast<float*>(pages));
  floats.data_ = static_cast<const float*>(pages);
  return floats;
}

}  // namespace mace::cpu
