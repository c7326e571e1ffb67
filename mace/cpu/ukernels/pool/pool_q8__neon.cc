// Pooling int8 and uint8 windows on NEON.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/pool/pool_q8_windows.h"

namespace mace::cpu {

void maxpool_q8__neon(const PoolQ8Windows& t) { MaxOfWindows(t); }
void avgpool_q8__neon(const PoolQ8Windows& t) { MeansOfWindows(t); }

}  // namespace mace::cpu
