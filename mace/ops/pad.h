// Attributes of Pad.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_PAD_H_
#define MACE_OPS_PAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

struct PadAttrs {
  std::vector<int64_t> paddings;      // [before0, after0, before1, after1, ...]
  std::string pad_type = "CONSTANT";  // CONSTANT, REFLECT, SYMMETRIC, EDGE
  float constant_value = 0;           // of CONSTANT

  template <typename V>
  void Fields(V& v) {
    v("paddings", paddings);
    v("pad_type", pad_type);
    v("constant_value", constant_value);
  }
};

enum class PadMode { kConstant, kReflect, kSymmetric, kEdge };

struct PadSpec {
  PadMode mode = PadMode::kConstant;
  std::vector<int64_t> pads;  // before and after of each axis
  float constant_value = 0;
};

// Returns what a Pad node adds. Errors: MACE_INVALID_MODEL.
Result<PadSpec> PadOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_PAD_H_
