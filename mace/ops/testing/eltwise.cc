// A node of Eltwise, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Eltwise() {
  return {"Eltwise", {{"type", "SUM"}}, {X(Image()), X(Image())}};
}

}  // namespace mace::samples
