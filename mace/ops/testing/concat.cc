// A node of Concat, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Concat() {
  return {
      "Concat", {{"axis", int64_t{3}}}, {X(Image()), X(Image()), X(Image())}};
}

}  // namespace mace::samples
