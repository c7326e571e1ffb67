// Pooling int8 and uint8 windows without vectors that a CPU may lack.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/pool/pool_q8_windows.h"

namespace mace::cpu {

void maxpool_q8__scalar(const PoolQ8Windows& t) { MaxOfWindows(t); }
void avgpool_q8__scalar(const PoolQ8Windows& t) { MeansOfWindows(t); }

}  // namespace mace::cpu
