// A node of PsroiAlign, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase PsroiAlign() {
  return {"PsroiAlign",
          {{"spatial_scale", 1.f},
           {"output_dim", int64_t{1}},
           {"group_size", int64_t{2}}},
          {X(Image()), F32({1, 5}, {0, 0, 0, 2, 2})}};
}

}  // namespace mace::samples
