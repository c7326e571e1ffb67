// A node of Split, for the tests that run every op.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/sample_tensors.h"

namespace mace::samples {

OpCase Split() {
  return {"Split", {{"axis", int64_t{1}}}, {X({3, 4}), Known({1, 3})}, 2};
}

}  // namespace mace::samples
