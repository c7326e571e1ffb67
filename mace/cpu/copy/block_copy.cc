// Boxes for the positions within blocks.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/block_copy.h"

#include <algorithm>

namespace mace {
namespace {

constexpr int64_t kMaxPlaces = 4096;

int64_t BlocksIn(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

}  // namespace

Result<std::vector<CopyBox>> BlockBoxes(const Node& node,
                                        const TensorType& space,
                                        const TensorType& batch,
                                        const std::vector<int64_t>& block,
                                        const std::vector<int64_t>& edges,
                                        bool to_batch) {
  const auto space_strides = DenseStrides(space.shape);
  const auto batch_strides = DenseStrides(batch.shape);
  int64_t places = 1;
  for (int64_t b : block) {
    places = b > kMaxPlaces ? kMaxPlaces + 1 : places * b;
    if (places > kMaxPlaces) {
      return Unsupported(Label(node), ": blocks of more than ", kMaxPlaces,
                         " elements");
    }
  }
  std::vector<CopyBox> boxes;
  for (int64_t place = 0; place < places; ++place) {
    std::vector<int64_t> strides = space_strides;
    Shape extents = space.shape;
    int64_t in_space = 0, rest = place;
    int64_t in_batch = place * space.shape[0] * batch_strides[0];
    for (size_t d = block.size(); d-- > 0;) {
      const int64_t shift = rest % block[d] - edges[2 * d];
      rest /= block[d];
      // The i with 0 <= i * block + shift < extent that lie inside the batch.
      const int64_t first = BlocksIn(-shift, block[d]);
      const int64_t end = std::min(
          batch.shape[d + 1], BlocksIn(space.shape[d + 1] - shift, block[d]));
      extents[d + 1] = std::max<int64_t>(0, end - first);
      in_space += (first * block[d] + shift) * space_strides[d + 1];
      in_batch += first * batch_strides[d + 1];
      strides[d + 1] *= block[d];
    }
    boxes.push_back(to_batch
                        ? MakeBox(SizeOf(space.dtype), extents, strides,
                                  in_space, batch_strides, in_batch)
                        : MakeBox(SizeOf(space.dtype), extents, batch_strides,
                                  in_batch, strides, in_space));
  }
  return boxes;
}

}  // namespace mace
