// The table of exponentials from which the DSP computes Softmax.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PACKING_SOFTMAX_TABLE_H_
#define MACE_HEXAGON_PACKING_SOFTMAX_TABLE_H_

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

struct SoftmaxTable {
  AlignedBuffer exponentials;  // i32[256], of the differences 0, -1, ... -255
  int32_t least_difference = 0;
};

// For quantized values of `scale`, and beta. REQUIRES: both are positive and
// finite.
Result<SoftmaxTable> MakeSoftmaxTable(float scale, float beta);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_SOFTMAX_TABLE_H_
