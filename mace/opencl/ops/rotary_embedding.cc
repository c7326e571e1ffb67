// RotaryEmbedding on the GPU: one pass for each tensor that is turned.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/rotary_embedding.h"

#include <utility>
#include <vector>

#include "mace/opencl/kernels/broadcast.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/heads.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

// A pair must be within a block of four elements, or in the same places of two
// blocks.
Status CheckBlocks(const Node& node, bool interleaved, int64_t size) {
  const int64_t unit = interleaved ? 4 : 8;
  if (size % unit == 0) return Status();
  return Unsupported(Label(node), ": the GPU turns a multiple of ", unit,
                     " elements of each vector, here they are ", size);
}

Result<Pass> PassOf(const Node& node, const RotaryEmbeddingAttrs& attrs,
                    size_t i, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const RotaryEmbeddingShapes s,
                        ResolveRotaryEmbedding(node, attrs, i));
  const bool has_axis = node.inputs[i].type.rank() == 4;
  MACE_RETURN_IF_ERROR(CheckHeads(node, s.x, has_axis));
  MACE_RETURN_IF_ERROR(CheckBlocks(node, attrs.interleaved, s.size));
  Pass pass(
      "rotary_embedding", "rotary_embedding",
      {static_cast<size_t>(Blocks(s.x.depth)), static_cast<size_t>(s.x.rows),
       static_cast<size_t>(s.x.batch * s.x.heads)});
  if (attrs.interleaved) pass.Define("INTERLEAVED");
  if (s.angles != s.size) pass.Define("OF_PAIRS");
  MACE_RETURN_IF_ERROR(AddTensor(node, i, target.float_pixels(), target, pass));
  const Shape all = {s.x.batch, s.x.heads, s.x.rows, s.angles};
  for (const size_t k : {0, 1}) {
    MACE_RETURN_IF_ERROR(AddBroadcastImage(node, k, all, target, pass));
  }
  pass.Out(i - 2);
  AddHeads(s.x, has_axis, pass);
  for (const size_t k : {0, 1}) AddBroadcastSteps(node.inputs[k], all, pass);
  pass.Int(s.x.heads, s.size / 4, s.x.depth);
  return pass;
}

Result<KernelSpec> DescribeRotaryEmbedding(const Node& node,
                                           const Target& target) {
  MACE_ASSIGN_OR_RETURN(const RotaryEmbeddingAttrs attrs,
                        ReadAttrs<RotaryEmbeddingAttrs>(node));
  std::vector<Pass> passes;
  for (size_t i = 2; i < node.inputs.size(); ++i) {
    MACE_ASSIGN_OR_RETURN(Pass pass, PassOf(node, attrs, i, target));
    passes.push_back(std::move(pass));
  }
  return KernelSpec{std::move(passes), {}};
}

}  // namespace

GpuKernelDef RotaryEmbedding() { return {DescribeRotaryEmbedding}; }

}  // namespace mace::opencl
