// KnownWeights: what is known of quantized weights, so that no plan reads them
// all again.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_KNOWN_WEIGHTS_H_
#define MACE_OPENCL_LAUNCH_KNOWN_WEIGHTS_H_

#include <cstdint>
#include <map>

#include "mace/graph/node.h"

namespace mace::opencl {

// Of one model. Not thread-safe.
class KnownWeights {
 public:
  // Whether one of the values is -128, which PixelType::kSnorm8 lacks.
  // REQUIRES: the weight is stored as kI8.
  bool HasLeast(const Operand& weight);

 private:
  std::map<int64_t, bool> by_weight_;  // by weight_id
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_KNOWN_WEIGHTS_H_
