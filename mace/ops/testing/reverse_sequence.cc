// A node of ReverseSequence, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase ReverseSequence() {
  return {"ReverseSequence",
          {{"seq_axis", int64_t{1}}, {"batch_axis", int64_t{0}}},
          {X({2, 4}), I32({2}, {3, 4})}};
}

}  // namespace mace::samples
