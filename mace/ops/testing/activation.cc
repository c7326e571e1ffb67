// A node of Activation, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Activation() {
  return {"Activation", {{"activation", "RELU"}}, {X(Image())}};
}

}  // namespace mace::samples
