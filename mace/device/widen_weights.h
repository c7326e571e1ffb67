// WidenWeights: replaces weights stored in another type by float32 where a
// reader needs it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_WIDEN_WEIGHTS_H_
#define MACE_DEVICE_WIDEN_WEIGHTS_H_

#include <memory>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/device.h"
#include "mace/device/packed_weights.h"
#include "mace/graph/graph.h"

namespace mace {

// Returns a weight that is stored in another type as float32, kept in `packed`.
// Errors: as PackedWeights::GetOrPack.
Result<std::shared_ptr<const void>> KeptFloats(const Operand& weight,
                                               PackedWeights* packed);

// Widens the weights stored in another type that are outputs of the graph, or
// inputs of a node that one of the devices does not take as they are stored
// (NodeKernels::TakesFp16). The copies are shared through `packed`. REQUIRES:
// nothing has read the loaded graph's weights yet. Errors: as
// PackedWeights::GetOrPack.
Status WidenWeights(const std::vector<Device*>& devices, PackedWeights& packed,
                    Graph& graph);

}  // namespace mace

#endif  // MACE_DEVICE_WIDEN_WEIGHTS_H_
