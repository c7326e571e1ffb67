// Passes that normalize.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/normalization.h"

#include <utility>

#include "mace/base/str_cat.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/broadcast.h"

namespace mace::opencl {

Pass NormalizePass(const std::string& kind, const Reduction& reduction,
                   size_t center, size_t spread, float parameter) {
  const Extents4& x = reduction.in;
  Pass pass("normalize", "normalize_box", BlockGrid(x));
  pass.Define(StrCat("NORMALIZE_", kind));
  pass.In(0).Image(center).Image(spread).Out();
  pass.Int(x[1], x[3]).Float(parameter);
  AddBroadcastSteps(reduction.out, x, pass);
  return pass;
}

Result<KernelSpec> DescribeMomentNorm(const Node& node,
                                      const Reduction& reduction, float epsilon,
                                      const ActivationAttrs& attrs,
                                      const Target& target, bool centered) {
  const Extents4& x = reduction.in;
  Reducer reducer(node, reduction, target);
  MACE_ASSIGN_OR_RETURN(const size_t deviation, reducer.AddImage());
  size_t mean = deviation;
  Pass pass("normalize", "normalize_box", BlockGrid(x));
  pass.Define("NORMALIZE_MOMENTS");
  if (centered) {
    MACE_ASSIGN_OR_RETURN(mean, reducer.AddImage());
    MACE_RETURN_IF_ERROR(reducer.Add("MEAN", mean));
    MACE_RETURN_IF_ERROR(reducer.Add("DEVIATION", deviation, mean));
  } else {
    pass.Define("NORMALIZE_UNCENTERED");
    MACE_RETURN_IF_ERROR(reducer.Add("ROOT_MEAN_SQUARE", deviation));
  }
  pass.In(0).Image(mean).Image(deviation);
  for (size_t i : {1, 2}) {
    if (node.has_input(i)) {
      MACE_RETURN_IF_ERROR(AddBroadcastImage(node, i, target, pass));
      continue;
    }
    const float none = i == 1 ? 1 : 0;
    MACE_ASSIGN_OR_RETURN(
        ConstantPtr image,
        target.ComputedImage(ImageLayout::kChannelMajor, {1, 1, 1, 1}, {},
                             i == 1 ? "one" : "zero",
                             [none](float* to) { *to = none; }));
    pass.Constant(std::move(image));
  }
  pass.Out().Int(x[1], x[3]).Float(epsilon);
  AddBroadcastSteps(reduction.out, x, pass);
  for (size_t i : {1, 2}) {
    if (node.has_input(i)) {
      AddBroadcastSteps(node, i, pass);
    } else {
      AddBroadcastSteps({1, 1, 1, 1}, x, pass);
    }
  }
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, pass));
  reducer.passes.push_back(std::move(pass));
  KernelSpec::Info info;
  info.scratch_images = reducer.images;
  return KernelSpec{std::move(reducer.passes), info};
}

}  // namespace mace::opencl
