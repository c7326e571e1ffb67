// Attributes of DepthToSpace.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_DEPTH_TO_SPACE_H_
#define MACE_OPS_DEPTH_TO_SPACE_H_

#include <cstdint>
#include <string>

namespace mace {

struct DepthToSpaceAttrs {
  int64_t block_size = 1;
  std::string mode = "DCR";  // or "CRD"

  template <typename V>
  void Fields(V& v) {
    v("block_size", block_size);
    v("mode", mode);
  }
};

}  // namespace mace

#endif  // MACE_OPS_DEPTH_TO_SPACE_H_
