// What of a kernel can be chosen by measuring.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_KNOBS_H_
#define MACE_CPU_TUNING_KNOBS_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// A field of KernelChoice and the values worth trying for it.
struct Knob {
  const ChoiceField* field;
  std::vector<int64_t> values;
};

// Those of a node or a chain, in the order of kChoiceFields, given what
// context.choice has of the fields before. Empty where there is nothing to
// choose. Never what the context forbids (context.max_winograd).
std::vector<Knob> KnobsOf(const std::vector<FusedNode>& links,
                          const CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_KNOBS_H_
