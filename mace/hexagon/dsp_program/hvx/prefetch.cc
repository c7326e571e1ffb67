// The count of prefetches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/hvx/prefetch.h"

namespace mace::hexagon {

uint32_t prefetch_count = 0;

}  // namespace mace::hexagon
