// What was decided about the memory of a plan, so that others can follow it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TYPES_MEMORY_PATTERN_H_
#define MACE_PLAN_TYPES_MEMORY_PATTERN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace {

// Ways to need fewer bytes, besides reusing those of tensors that are no longer
// needed. A plan leaves out those that would raise the lower bound of its
// arena; none changes a result.
struct MemorySavings {
  bool order = true;     // run the steps in an order that needs less
  bool views = true;     // reshapes, and slices along outermost dimensions
  bool in_place = true;  // an output in the bytes of an input that dies there
  bool concat = true;    // inputs of an outermost concat written in place
  bool overlap = true;   // an output over the part of an input already read
  bool rows = true;      // inputs of an innermost concat written in place
};

// The effect of one saving, in bytes of the arena's lower bound. Each saving of
// a list begins where the one before it ended, so that they add up.
struct MemorySaving {
  const char* name;
  int64_t before_bytes = 0;
  int64_t after_bytes = 0;
};

// How the order of the steps was searched for. Bytes are those of whole values,
// which share bytes only if they live at different times.
struct OrderSearch {
  enum End : uint8_t {
    kOff,      // there was no search, or the order of another plan was taken
    kMinimum,  // no order has a lower peak
    kWidest,   // not proven: the widest search was not exhaustive
    kBudget,   // not proven: the work that was allowed was done
  };
  End end = kOff;
  int64_t work = 0;  // units of WorkBudget
  int64_t budget = 0;
  // Peaks of live bytes: in the order of the model, in the order found.
  int64_t peak_before = 0;
  int64_t peak_after = 0;
  int64_t bound = 0;  // no order needs less
};

// What was decided about the memory of a plan, for one of the same graph with
// other shapes.
struct MemoryPattern {
  // Only a plan with the same hash and the same strategy can follow the
  // pattern.
  uint64_t steps = 0;      // a hash of the steps in the order of the model
  std::string strategy;    // of the memory
  std::vector<int> order;  // in which the steps run
  MemorySavings savings;
  // The records with their sizes, and where they lay.
  memory::Problem problem;
  std::vector<int64_t> offsets;  // of the records of `problem`
  int64_t arena_bytes = 0;
};

}  // namespace mace

#endif  // MACE_PLAN_TYPES_MEMORY_PATTERN_H_
