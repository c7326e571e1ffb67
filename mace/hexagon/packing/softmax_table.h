// The table of exponentials from which the DSP computes Softmax.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PACKING_SOFTMAX_TABLE_H_
#define MACE_HEXAGON_PACKING_SOFTMAX_TABLE_H_

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

// exp(scale * d) of the differences d = x - (the largest x), as
// fixed-point words without integer bits; 2^31 - 1 stands for 1. With TFLite's
// integer arithmetic (5 integer bits of the exponent), so that results are the
// same bits.
struct SoftmaxTable {
  AlignedBuffer exponentials;  // i32[256], of the differences 0, -1, ... -255
  // Smaller differences would overflow the exponent's 5 bits: their
  // exponentials count as 0. -256: there are none.
  int32_t least_difference = 0;
};

// For quantized values of `scale`. REQUIRES: it is positive and finite. Errors:
// MACE_OUT_OF_RESOURCES.
Result<SoftmaxTable> MakeSoftmaxTable(float scale);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_SOFTMAX_TABLE_H_
