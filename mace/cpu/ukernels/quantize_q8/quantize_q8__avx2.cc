// Quantizes and dequantizes floats on AVX2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/quantize_q8/quantize_q8_loop.h"

namespace mace::cpu {

void quantize_q8__avx2(const QuantizeQ8Args& args) { QuantizeAll(args); }

void dequantize_q8__avx2(const DequantizeQ8Args& args) { DequantizeAll(args); }

}  // namespace mace::cpu
