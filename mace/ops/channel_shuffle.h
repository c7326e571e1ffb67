// Attributes of ChannelShuffle.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CHANNEL_SHUFFLE_H_
#define MACE_OPS_CHANNEL_SHUFFLE_H_

#include <cstdint>

namespace mace {

// With group 2, the channels 0 1 2 3 4 5 of x become 0 3 1 4 2 5.
struct ChannelShuffleAttrs {
  int64_t group = 1;  // must divide the number of channels

  template <typename V>
  void Fields(V& v) {
    v("group", group);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CHANNEL_SHUFFLE_H_
