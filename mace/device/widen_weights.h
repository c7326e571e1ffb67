// WidenWeights: floats in place of weights stored in another type, where
// a reader needs them.
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

// The floats of a weight stored in another type, kept in `packed`.
// Errors: MACE_OUT_OF_RESOURCES.
Result<std::shared_ptr<const void>> KeptFloats(const Operand& weight,
                                               PackedWeights* packed);

// Widens the weights of a graph that a node reads which one of the devices
// wants as floats, and those that are outputs. The copies are shared through
// `packed`. Must come before anything reads a loaded graph's weights.
// Errors: MACE_OUT_OF_RESOURCES.
Status WidenWeights(const std::vector<Device*>& devices, PackedWeights& packed,
                    Graph& graph);

}  // namespace mace

#endif  // MACE_DEVICE_WIDEN_WEIGHTS_H_
