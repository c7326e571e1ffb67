// A node of Compare, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Compare() {
  return {"Compare", {{"type", "LESS"}}, {X(Image()), W({4})}};
}

}  // namespace mace::samples
