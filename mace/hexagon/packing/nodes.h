// Nodes of a graph for the DSP, with the operands that follow from them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PACKING_NODES_H_
#define MACE_HEXAGON_PACKING_NODES_H_

#include "mace/hexagon/packing/filters.h"
#include "mace/hexagon/packing/graph_writer.h"

namespace mace::hexagon {

// Each adds a node with its filter and stage as constants, which the writer
// owns then, and with its scratch. `x` and `y` are tensors of the writer.
// `params` is complete except for `depth`, for what the packed filter has
// (filter_offset, passes, has_left_shifts), and for `rows` and `tile`, which
// become the largest with which the scratch fits VTCM. If none fits, `rows` is
// 8 and `tile` all channels.
void AddConv(int x, int y, ConvParams params, PackedFilter filter,
             GraphWriter* writer);
void AddDepthwise(int x, int y, DepthwiseParams params, PackedFilter filter,
                  GraphWriter* writer);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_NODES_H_
