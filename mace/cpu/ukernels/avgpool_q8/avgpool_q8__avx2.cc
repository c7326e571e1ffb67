// The mean quantized values of windows on AVX2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/avgpool_q8/avgpool_q8_loop.h"

namespace mace::cpu {

void avgpool_q8__avx2(const AvgpoolQ8Args& args) { AverageWindows(args); }

}  // namespace mace::cpu
