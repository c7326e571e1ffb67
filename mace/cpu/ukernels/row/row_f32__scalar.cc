// Row functions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/row/row_f32_loop.h"

namespace mace::cpu {

const RowF32Set row_f32__scalar = kAllFunctions;
const SoftmaxF32Set softmax_f32__scalar = kSoftmax;

}  // namespace mace::cpu
