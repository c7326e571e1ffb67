// Attention on the GPU, without the matrix of all scores.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mace/opencl/kernels/broadcast.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/heads.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

// Blocks of four channels that one work item computes; each item computes the
// scores again. 16 vectors of sums are what a mobile GPU has registers for.
constexpr int64_t kMaxBlocks = 16;

// Adds the mask: one that is computed as it is, a constant as floats.
Status AddMask(const Node& node, const Shape& scores, const Target& target,
               Pass& pass) {
  const Operand& mask = node.inputs[3];
  const Extents4 extents = BroadcastExtents(mask.type.shape, scores);
  if (mask.data == nullptr) {
    return AddBroadcastImage(node, 3, scores, target, pass);
  }
  if (mask.type.dtype != DataType::kBool) {
    // In float: where a mask leaves all keys out by a large number, fp16 would
    // have infinity, which is another result.
    MACE_ASSIGN_OR_RETURN(
        ConstantPtr image,
        target.RearrangedImage(ImageLayout::kChannelMajor, extents, mask,
                               "elements", {}, PixelType::kFloat));
    pass.Constant(std::move(image));
    return Status();
  }
  const auto* keeps = static_cast<const uint8_t*>(mask.data);
  const int64_t elements = NumElements(mask.type.shape);
  MACE_ASSIGN_OR_RETURN(
      ConstantPtr image,
      target.ComputedImage(ImageLayout::kChannelMajor, extents, {&mask},
                           "mask of bools", [keeps, elements](float* to) {
                             for (int64_t i = 0; i < elements; ++i) {
                               to[i] = keeps[i] != 0 ? 0 : -INFINITY;
                             }
                           }));
  pass.Constant(std::move(image));
  return Status();
}

Result<KernelSpec> DescribeAttention(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const AttentionAttrs attrs,
                        ReadAttrs<AttentionAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const AttentionShapes s, ResolveAttention(node, attrs));
  if (attrs.keys >= 0) {
    return Unsupported(Label(node),
                       ": the GPU reads all rows of k and v, keys ", attrs.keys,
                       " leaves some out");
  }
  const bool decodes =
      node.inputs[1].type.dtype != DataType::kF32 || attrs.sink_keys > 0 ||
      node.has_input(kAttentionPosition) || node.has_input(kAttentionSlopes) ||
      node.has_input(kAttentionSinks);
  if (decodes) {
    return Unsupported(Label(node),
                       ": the GPU has no KV cache of f16 or i8, position, "
                       "slopes and sinks");
  }
  const HeadsOf* const heads[] = {&s.q, &s.k, &s.v, &s.y};
  bool has_axis[4];
  for (int i = 0; i < 4; ++i) {
    has_axis[i] = node.inputs[i == 3 ? 0 : i].type.rank() == 4;
    MACE_RETURN_IF_ERROR(CheckHeads(node, *heads[i], has_axis[i]));
  }
  const int64_t blocks = Blocks(s.v.depth);
  const int64_t own = std::min(blocks, kMaxBlocks);
  Pass pass("attention", "attention",
            {static_cast<size_t>((blocks + own - 1) / own),
             static_cast<size_t>(s.q.rows),
             static_cast<size_t>(s.q.batch * s.q.heads)});
  pass.Define("VALUE_BLOCKS", std::to_string(own));
  for (size_t i : {0, 1, 2}) {
    MACE_RETURN_IF_ERROR(
        AddTensor(node, i, target.float_pixels(), target, pass));
  }
  const Shape scores = {s.q.batch, s.q.heads, s.q.rows, s.k.rows};
  if (node.has_input(3)) {
    pass.Define("MASK");
    MACE_RETURN_IF_ERROR(AddMask(node, scores, target, pass));
  }
  pass.Out();
  for (int i = 0; i < 4; ++i) AddHeads(*heads[i], has_axis[i], pass);
  if (node.has_input(3)) AddBroadcastSteps(node.inputs[3], scores, pass);
  // Windows beyond all keys and queries leave nothing out.
  const int64_t most = s.q.rows + s.k.rows;
  pass.Int(s.q.heads, s.q.heads / s.k.heads, s.k.rows, Blocks(s.q.depth),
           s.v.depth);
  pass.Float(attrs.scale == 0 ? 1 / std::sqrt(static_cast<float>(s.q.depth))
                              : attrs.scale);
  pass.Float(attrs.softcap);
  pass.Int(attrs.at_end ? s.k.rows - s.q.rows : 0,
           std::min(attrs.left_window, most),
           std::min(attrs.right_window, most));
  KernelSpec::Info info;
  info.macs = SaturatedProduct(
      {s.q.batch * s.q.heads * s.q.rows, s.k.rows, s.q.depth + s.v.depth});
  return KernelSpec{{pass}, info};
}

}  // namespace

GpuKernelDef Attention() { return {DescribeAttention}; }

}  // namespace mace::opencl
