// A node of Clip, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Clip() {
  return {"Clip", {}, {X(Image()), F32({}, {-0.5f}), F32({}, {0.5f})}};
}

}  // namespace mace::samples
