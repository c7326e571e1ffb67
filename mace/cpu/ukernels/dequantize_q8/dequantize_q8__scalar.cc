// Dequantizes rows in plain C++: the definition for other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dequantize_q8/dequantize_q8_loop.h"

namespace mace::cpu {

void dequantize_8bits_q8__scalar(const DequantizeRowsQ8Args& args) {
  Dequantize8Bits(args);
}

void dequantize_4bits_q8__scalar(const DequantizeRowsQ8Args& args) {
  Dequantize4Bits(args);
}

}  // namespace mace::cpu
