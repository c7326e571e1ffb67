// Matrix-vector product.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemv/gemv_f32_rows.h"

namespace mace::cpu {

void gemv_f32__avx512(const GemvF32Rows& rows) { Gemv(rows); }

}  // namespace mace::cpu
