// A node of RoiAlign, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase RoiAlign() {
  return {"RoiAlign",
          {{"output_height", int64_t{2}}, {"output_width", int64_t{2}}},
          {X(Image()), F32({1, 4}, {0, 0, 2, 2}), I32({1}, {0})}};
}

}  // namespace mace::samples
