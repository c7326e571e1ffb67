// Looks codes up in plain C++: the definition for other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/lookup_q8/lookup_q8.h"

namespace mace::cpu {

void lookup_q8__scalar(const LookupQ8Args& t) {
  for (size_t i = 0; i < t.n; ++i) t.y[i] = t.table[t.x[i]];
}

}  // namespace mace::cpu
