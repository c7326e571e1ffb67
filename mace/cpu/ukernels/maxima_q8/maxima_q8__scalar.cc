// The largest codes of windows without vectors that a CPU may lack.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/maxima_q8/maxima_q8_loop.h"

namespace mace::cpu {

void maxima_q8__scalar(const MaximaQ8Args& args) { MaximaOfCodes(args); }

}  // namespace mace::cpu
