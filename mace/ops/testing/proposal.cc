// A node of Proposal, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Proposal() {
  return {"Proposal",
          {{"feat_stride", int64_t{16}},
           {"scales", Ints{8}},
           {"ratios", Floats{1}},
           {"min_size", int64_t{1}},
           {"pre_nms_top_n", int64_t{4}},
           {"post_nms_top_n", int64_t{2}}},
          {X({1, 2, 2, 2}), X({1, 2, 2, 4}), F32({1, 3}, {32, 32, 1})}};
}

}  // namespace mace::samples
