// A node of Pooling, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Pooling() {
  return {"Pooling",
          {{"pooling_type", int64_t{2}}, {"kernels", Ints{2, 2}}},
          {X(Image())}};
}

}  // namespace mace::samples
