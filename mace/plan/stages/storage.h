// Storage: which values share bytes, and where each group of them lies.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_STORAGE_H_
#define MACE_PLAN_STAGES_STORAGE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/base/sort.h"
#include "mace/plan/types/plan.h"

namespace mace {

// Counts the inputs of a node by the group in which they lie.
class SharedRoots {
 public:
  // Both must outlive this object; `root` is Storage::root.
  SharedRoots(const std::vector<int>& inputs, const std::vector<int>& root)
      : inputs_(inputs), root_(root) {}

  // Sorts at the first call, so that a node of n inputs takes O(n log n).
  int64_t Count(int root) {
    if (sorted_.empty()) {
      for (const int id : inputs_) {
        if (id >= 0) sorted_.push_back(root_[id]);
      }
      StableSort(&sorted_);
    }
    const auto range = std::equal_range(sorted_.begin(), sorted_.end(), root);
    return range.second - range.first;
  }

 private:
  const std::vector<int>& inputs_;
  const std::vector<int>& root_;
  std::vector<int> sorted_;
};

// Groups of values that share bytes. A group has one location, that of its
// root; a member begins `offset` bytes into it.
struct Storage {
  std::vector<int> root;        // by value id
  std::vector<int64_t> offset;  // by value id
  std::vector<int64_t> bytes;   // of the group, by root
  // By value id: Location::row_stride. Empty without 8-bit kernels.
  std::vector<int64_t> stride;
  std::vector<Location> locations;  // by value id; the offsets within the arena
                                    // are relative to the group, the index of
                                    // an image is its root
  std::vector<uint8_t> elided;      // by step: whether it only renames bytes
  std::vector<Plan::Copy> copies;
};

// Groups the values of plan.graph as `savings` allows, in the order of
// plan.steps. Images that a step only renames always share their image.
//
//   views     the output of an op that keeps all bytes (Reshape), or of a Split
//             or Slice that takes a contiguous range, lies where its input lies
//   in_place  the output of a kernel that allows it takes the bytes of an input
//             of the same size that nothing reads later
//   concat    the inputs of a Concat along the outermost dimension lie in its
//             output
//   rows      the inputs of a Concat along the innermost dimension are parts of
//             the rows of its output, if nothing else reads them and the
//             kernels that write them can
//
// For example y = Concat(a, b) along the outermost dimension, where c is a
// Reshape of a: the group of y.
//
//           offset 0            offset Bytes(a)
//    y      |==================================|   root
//    a, c   |===================|
//    b                          |==============|
//
// A group lies in the memory of the constant or graph input that it contains,
// in the caller's memory of a graph output that fills it, or else in the arena,
// or in an image if its values are images. Values are not merged if a step
// would then write to a constant or to the caller's input.
Storage AssignStorage(const Plan& plan, const MemorySavings& savings);

}  // namespace mace

#endif  // MACE_PLAN_STAGES_STORAGE_H_
