// Attributes of ChannelShuffle.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CHANNEL_SHUFFLE_H_
#define MACE_OPS_CHANNEL_SHUFFLE_H_

#include <cstdint>

namespace mace {

struct ChannelShuffleAttrs {
  int64_t group = 1;  // must divide the number of channels

  template <typename V>
  void Fields(V& v) {
    v("group", group);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CHANNEL_SHUFFLE_H_
