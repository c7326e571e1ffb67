// Attributes of Pad.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_PAD_H_
#define MACE_OPS_PAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// 1 2 3 with paddings of 2 on either side:
//
//  CONSTANT   0 0 1 2 3 0 0        EDGE       1 1 1 2 3 3 3
//  REFLECT    3 2 1 2 3 2 1        SYMMETRIC  2 1 1 2 3 3 2
//
// A negative padding removes elements. REFLECT adds at most n - 1 elements on a
// side of n, SYMMETRIC n.
struct PadAttrs {
  std::vector<int64_t> paddings;      // [before0, after0, before1, after1, ...]
  std::string pad_type = "CONSTANT";  // CONSTANT, REFLECT, SYMMETRIC, EDGE
  float constant_value = 0;           // of CONSTANT: a real number

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
  // Before and after each axis, two numbers for each.
  std::vector<int64_t> pads;
  float constant_value = 0;
};

// Returns what a Pad node adds, from its attributes or input 1. REQUIRES: input
// 1 is absent or known. Errors: MACE_INVALID_MODEL for an unknown pad_type,
// paddings of another number than two for each axis of x, or beyond what the
// mode can add or remove.
Result<PadSpec> PadOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_PAD_H_
