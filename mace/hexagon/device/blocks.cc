// BatchToSpaceNd and SpaceToBatchNd: a box for each place within a block.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/box_nodes.h"
#include "mace/ops/batch_to_space_nd.h"
#include "mace/ops/space_to_batch_nd.h"

namespace mace::hexagon {
namespace {

constexpr int64_t kMaxPlaces = 64;

int64_t CeilDiv(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// Moves pixels between `space`, whose axes 1, 2, ... have blocks, and `batch`,
// in which each place of a block has batches of its own. `edges`: before and
// after each axis, of what `space` has not.
Status AddBlocks(const Node& node, const Shape& space, const Shape& batch,
                 const std::vector<int64_t>& block,
                 const std::vector<int64_t>& edges, bool to_batch,
                 const Target& target) {
  int64_t places = 1;
  for (const int64_t b : block) {
    places = std::min(SaturatedProduct({places, b}), kMaxPlaces + 1);
  }
  if (places > kMaxPlaces) {
    return Unsupported(Label(node), ": the DSP moves blocks of at most ",
                       kMaxPlaces, " pixels");
  }
  MACE_RETURN_IF_ERROR(CheckScales(node));
  const std::vector<int64_t> of_batch = StridesOf(batch);
  for (int64_t place = 0; place < places; ++place) {
    std::vector<int64_t> of_space = StridesOf(space);
    Shape extents = space;
    int64_t in_space = 0, rest = place;
    int64_t in_batch = place * space[0] * of_batch[0];
    for (size_t i = block.size(); i > 0; --i) {
      const size_t d = i;  // the axis of block i - 1
      const int64_t b = block[i - 1];
      // Pixel k of the batch is pixel k * b + shift of the space.
      const int64_t shift = rest % b - edges[2 * (i - 1)];
      rest /= b;
      const int64_t first = CeilDiv(-shift, b);
      const int64_t end = std::min(batch[d], CeilDiv(space[d] - shift, b));
      extents[d] = std::max<int64_t>(0, end - first);
      in_space += (first * b + shift) * of_space[d];
      in_batch += first * of_batch[d];
      of_space[d] *= b;
    }
    if (NumElements(extents) == 0) continue;
    const MoveBox box =
        to_batch ? MoveBox{extents, of_space, of_batch, in_space, in_batch}
                 : MoveBox{extents, of_batch, of_space, in_batch, in_space};
    MACE_RETURN_IF_ERROR(AddMove(node, box, target));
  }
  return Status();
}

}  // namespace

Status TranslateBatchToSpace(const Node& node, const Target& target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<BatchToSpaceNdAttrs>(node));
  return AddBlocks(node, node.outputs[0].shape, node.inputs[0].type.shape,
                   attrs.block_shape, attrs.crops, false, target);
}

Status TranslateSpaceToBatch(const Node& node, const Target& target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<SpaceToBatchNdAttrs>(node));
  const TensorType& y = node.outputs[0];
  AddFill(node, y.quantization->zero_point(), target);
  return AddBlocks(node, node.inputs[0].type.shape, y.shape, attrs.block_shape,
                   attrs.paddings, true, target);
}

}  // namespace mace::hexagon
