// Reductions over boxes of a tensor, for the ops that are one or use some.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_REDUCTION_H_
#define MACE_OPENCL_KERNELS_REDUCTION_H_

#include <optional>
#include <string>
#include <vector>

#include "mace/opencl/launch/target.h"

namespace mace::opencl {

// Which of an image's N, H, W and C are reduced.
struct Reduction {
  Extents4 in, out;  // out: in with 1 for what is reduced

  int64_t count() const;  // elements that make one
};

// The reduction of `axes`, each in [0, rank). Errors: MACE_UNSUPPORTED where
// only some of the outermost axes of a tensor of more than four are reduced.
Result<Reduction> ReductionOf(const Node& node, const Shape& x,
                              const std::vector<int>& axes);

// Collects the passes of a node that reduces input 0, and their images.
class Reducer {
 public:
  Reducer(const Node& node, const Reduction& reduction, const Target& target)
      : node_(node), reduction_(reduction), target_(target) {}

  // A scratch image for a result of the reduction.
  // Errors: MACE_UNSUPPORTED beyond the limits of images.
  Result<size_t> AddImage() { return AddImage(reduction_.out); }

  // Reduces input 0 into scratch image `to`, or into output 0 if it is none.
  // `kind`: as the attribute of Reduce; MEAN_EXP, DEVIATION (root of the mean
  // square) and LOG_SUM_EXP are of the elements less scratch image `shift`.
  // Images of many pixels are reduced line by line first.
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
