// A node of RotaryEmbedding, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase RotaryEmbedding() {
  return {"RotaryEmbedding", {}, {W({3, 2}), W({3, 2}), X({1, 2, 3, 4})}};
}

}  // namespace mace::samples
