// Quantizes and dequantizes floats in plain C++: the definition for other
// files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/quantize_q8/quantize_q8_loop.h"

namespace mace::cpu {

void quantize_q8__scalar(const QuantizeQ8Args& args) { QuantizeAll(args); }

void dequantize_q8__scalar(const DequantizeQ8Args& args) {
  DequantizeAll(args);
}

}  // namespace mace::cpu
