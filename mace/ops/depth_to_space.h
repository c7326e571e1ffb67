// Attributes of DepthToSpace.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_DEPTH_TO_SPACE_H_
#define MACE_OPS_DEPTH_TO_SPACE_H_

#include <cstdint>
#include <string>

namespace mace {

// Pixel (h, w) of x becomes a block of b x b pixels, b = block_size. Their
// channel c is a channel of x, here for b = 2 and C channels in y:
//
//  DCR   c        C + c          CRD   4 c        4 c + 1
//        2 C + c  3 C + c              4 c + 2    4 c + 3
struct DepthToSpaceAttrs {
  // Its square divides the channels of x.
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
