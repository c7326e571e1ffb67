// Reductions over boxes of a tensor, for Reduce and the ops that use
// reductions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_REDUCTION_H_
#define MACE_OPENCL_KERNELS_REDUCTION_H_

#include <optional>
#include <string>
#include <vector>

#include "mace/opencl/launch/target.h"

namespace mace::opencl {

// Which of the axes N, H, W and C are reduced.
struct Reduction {
  Extents4 in, out;  // out: `in` with reduced axes 1

  int64_t count() const;  // elements of x for each result
};

// Returns the reduction over `axes`, each in [0, rank). Errors:
// MACE_UNSUPPORTED if x has more than four axes and only some of the outermost
// ones are reduced.
Result<Reduction> ReductionOf(const Node& node, const Shape& x,
                              const std::vector<int>& axes);

// Collects the passes of a node that reduces input 0, and their scratch images.
class Reducer {
 public:
  Reducer(const Node& node, const Reduction& reduction, const Target& target)
      : node_(node), reduction_(reduction), target_(target) {}

  // Adds a scratch image for a result of the reduction. Errors:
  // MACE_UNSUPPORTED if it is too large.
  Result<size_t> AddImage() { return AddImage(reduction_.out); }

  // Reduces input 0 into scratch image `to`, or into output 0 if `to` is not
  // set. `kind` is as the attribute of Reduce, ROOT_MEAN_SQUARE, or MEAN_EXP,
  // DEVIATION (the root of the mean square) or LOG_SUM_EXP, which first
  // subtract scratch image `shift`. If H and W are reduced and have many
  // pixels, a pass of its own reduces each line first, except for kinds whose
  // partial results cannot be combined. Errors: as AddImage.
  Status Add(const std::string& kind, std::optional<size_t> to,
             size_t shift = 0);

  std::vector<Pass> passes;
  std::vector<Extent2D> images;

 private:
  Result<size_t> AddImage(const Extents4& extents);

  const Node& node_;
  const Reduction reduction_;
  const Target& target_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_REDUCTION_H_
