// The largest quantized values of windows without vectors that a CPU may lack.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/maxpool_q8/maxpool_q8_loop.h"

namespace mace::cpu {

void maxpool_q8__scalar(const MaxpoolQ8Args& args) { MaxOfWindows(args); }

}  // namespace mace::cpu
