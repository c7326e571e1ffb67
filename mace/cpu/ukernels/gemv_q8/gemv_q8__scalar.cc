// Matrix-vector products of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemv_q8/gemv_q8_rows.h"

namespace mace::cpu {

void gemv_8bits_q8__scalar(const GemvQ8Args& args) { Gemv8Bits(args); }

void gemv_4bits_q8__scalar(const GemvQ8Args& args) { Gemv4Bits(args); }

}  // namespace mace::cpu
