// Quantizes and dequantizes floats on NEON.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/quantize_q8/quantize_q8_loop.h"

namespace mace::cpu {

void quantize_q8__neon(const QuantizeQ8Args& args) { QuantizeAll(args); }

void dequantize_q8__neon(const DequantizeQ8Args& args) { DequantizeAll(args); }

}  // namespace mace::cpu
