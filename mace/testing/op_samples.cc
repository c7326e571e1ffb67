// The samples of the table.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/op_samples.h"

#include "mace/testing/sample_tensors.h"

namespace mace::testing {

std::vector<OpCase> OpSamples() {
  std::vector<OpCase> samples;
  for (int i = 0; i < kNumSamples; ++i) samples.push_back(kSamples[i].sample());
  return samples;
}

}  // namespace mace::testing
