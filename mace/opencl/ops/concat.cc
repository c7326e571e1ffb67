// Concat on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/concat.h"

#include <algorithm>
#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/move.h"
#include "mace/ops/common/operands.h"

namespace mace::opencl {
namespace {

class Concatenation {
 public:
  Concatenation(const Node& node, int axis, const Target& target)
      : node_(node),
        axis_(axis),
        target_(target),
        y_(node.outputs[0].shape),
        begins_({0}) {
    for (const Operand& x : node.inputs) {
      begins_.push_back(begins_.back() + x.type.shape[axis]);
    }
  }

  Result<std::vector<Pass>> Passes() {
    std::vector<Pass> passes;
    const bool channels = axis_ + 1 == static_cast<int>(y_.size());
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const int64_t begin = begins_[i], end = begins_[i + 1];
      const bool blocks =
          !channels || (begin % 4 == 0 && (end % 4 == 0 || end == y_[axis_]));
      // Its only block begins within an earlier input, whose pass computes it.
      if (!blocks && Blocks(begin) == Blocks(end)) continue;
      MACE_ASSIGN_OR_RETURN(Pass pass, blocks ? CopyPass(i) : MixPass(i));
      passes.push_back(std::move(pass));
    }
    return passes;
  }

 private:
  // Returns null unless input i is a constant.
  Result<ConstantPtr> Constant(size_t i) {
    const Operand& x = node_.inputs[i];
    if (x.data == nullptr) return ConstantPtr();
    return target_.ConstantImage(ImageLayout::kChannelMajor,
                                 AsNhwc(x.type.shape), x);
  }

  // Copies input i to its place.
  Result<Pass> CopyPass(size_t i) {
    Move move;
    MACE_ASSIGN_OR_RETURN(move.constant, Constant(i));
    move.x = move.region = node_.inputs[i].type.shape;
    move.input = i;
    const int64_t size = NumElements(move.x);
    move.map = StridedMap({size}, {1}, 0, size);
    move.y = y_;
    move.axis = axis_;
    move.offset = begins_[i];
    return MovePass(move);
  }

  // Computes the blocks that begin within input i; they may go on in later
  // ones.
  Result<Pass> MixPass(size_t i) {
    const int64_t first = Blocks(begins_[i]);
    Grid grid = BlockGrid(AsNhwc(y_));
    grid[0] = static_cast<size_t>(Blocks(begins_[i + 1]) - first);
    Pass pass("concat", "concat", grid);
    const size_t last = node_.inputs.size() - 1;
    for (size_t k = 0; k < 4; ++k) {
      const size_t input = std::min(i + k, last);
      MACE_ASSIGN_OR_RETURN(ConstantPtr constant, Constant(input));
      if (constant != nullptr) {
        pass.Constant(std::move(constant));
      } else {
        pass.In(input);
      }
    }
    pass.Out();
    // There is nothing after the last input.
    for (size_t k = 0; k < 4; ++k) {
      pass.Int(i + k <= last ? begins_[i + k] : y_[axis_]);
    }
    pass.Int(first, y_[axis_]);
    return pass;
  }

  const Node& node_;
  const int axis_;
  const Target& target_;
  const Shape& y_;
  std::vector<int64_t> begins_;  // of each input, then the end of y
};

Result<KernelSpec> DescribeConcat(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const ConcatAttrs attrs, ReadAttrs<ConcatAttrs>(node));
  for (const Operand& x : node.inputs) {
    if (NumElements(x.type.shape) == 0) {
      return Unsupported(Label(node),
                         ": an input is empty, and images are "
                         "not");
    }
  }
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, node.outputs[0].rank()));
  MACE_ASSIGN_OR_RETURN(std::vector<Pass> passes,
                        Concatenation(node, axis, target).Passes());
  KernelSpec::Info info;
  info.variant = "concat";
  return KernelSpec{std::move(passes), info};
}

}  // namespace

GpuKernelDef Concat() { return {DescribeConcat}; }

}  // namespace mace::opencl
