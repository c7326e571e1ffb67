// The largest codes of windows on AVX2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/maxima_q8/maxima_q8_loop.h"

namespace mace::cpu {

void maxima_q8__avx2(const MaximaQ8Args& args) { MaximaOfCodes(args); }

}  // namespace mace::cpu
