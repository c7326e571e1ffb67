// Floats of codes in plain C++: the definition for other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/expand_q8/expand_q8_loop.h"

namespace mace::cpu {

void expand_8bits_q8__scalar(const ExpandQ8Args& args) { Expand8Bits(args); }

void expand_4bits_q8__scalar(const ExpandQ8Args& args) { Expand4Bits(args); }

}  // namespace mace::cpu
