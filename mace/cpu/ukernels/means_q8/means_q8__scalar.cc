// The mean codes of windows without vectors that a CPU may lack.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/means_q8/means_q8_loop.h"

namespace mace::cpu {

void means_q8__scalar(const MeansQ8Args& args) { MeansOfCodes(args); }

}  // namespace mace::cpu
