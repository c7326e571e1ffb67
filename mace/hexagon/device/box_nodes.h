// Nodes that move boxes between an input and an output.
// SPDX-License-Identifier: Apache-2.0
//
// Moves copy quantized values as bytes, so they need inputs with the scale and
// zero point of the output. Without a writer (Target) these functions only
// check, and add nothing.
#ifndef MACE_HEXAGON_DEVICE_BOX_NODES_H_
#define MACE_HEXAGON_DEVICE_BOX_NODES_H_

#include <cstdint>
#include <vector>

#include "mace/hexagon/device/boxes.h"
#include "mace/hexagon/device/translate.h"

namespace mace::hexagon {

// Errors: MACE_UNSUPPORTED unless all quantized inputs have the scale and zero
// point of all outputs.
Status CheckScales(const Node& node);

// Moves a box from input `from` to output `to`. Errors: of CheckScales and
// ToMove.
Status AddMove(const Node& node, const MoveBox& box, const Target& target,
               size_t from = 0, size_t to = 0);

// Moves what `x_strides` lead to in input 0, densely, to output `to`. Errors:
// of AddMove.
Status AddDenseMove(const Node& node, const Shape& extents,
                    const std::vector<int64_t>& x_strides, int64_t x_offset,
                    const Target& target, size_t to = 0);

// Fills the output with one quantized value, if there is a writer. REQUIRES:
// the node has one output.
void AddFill(const Node& node, int32_t value, const Target& target);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DEVICE_BOX_NODES_H_
