// Looks values up in plain C++: the definition for other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/lut_q8/lut_q8.h"

namespace mace::cpu {

void lut_q8__scalar(const LutQ8Args& t) {
  for (size_t i = 0; i < t.n; ++i) t.y[i] = t.table[t.x[i]];
}

}  // namespace mace::cpu
