// Attributes of Tile.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_TILE_H_
#define MACE_OPS_TILE_H_

#include <cstdint>
#include <vector>

namespace mace {

// x [2,3] with the repeats 2 and 1 becomes [4,3]; y[i][j] = x[i % 2][j].
struct TileAttrs {
  std::vector<int64_t> repeats;  // one per axis, if it is not an input

  template <typename V>
  void Fields(V& v) {
    v("repeats", repeats);
  }
};

}  // namespace mace

#endif  // MACE_OPS_TILE_H_
