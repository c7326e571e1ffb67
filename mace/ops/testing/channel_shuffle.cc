// A node of ChannelShuffle, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase ChannelShuffle() {
  return {"ChannelShuffle", {{"group", int64_t{2}}}, {X(Image())}};
}

}  // namespace mace::samples
