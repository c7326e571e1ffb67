// Interleaving the channels of two tensors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_shuffle.h"

#include <algorithm>

#include "mace/cpu/common/function_kernel.h"
#include "mace/graph/attrs.h"
#include "mace/ops/channel_shuffle.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/concat.h"
#include "mace/ops/split.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTaskFloats = 8192;

void Interleave(const float* __restrict a, const float* __restrict b, int64_t n,
                float* __restrict y) {
  for (int64_t i = 0; i < n; ++i) {
    y[2 * i] = a[i];
    y[2 * i + 1] = b[i];
  }
}

// Returns whether `axis` is the last axis of the node's first output.
Result<bool> IsLast(const Node& node, int64_t axis) {
  const int rank = node.outputs[0].rank();
  MACE_ASSIGN_OR_RETURN(const int resolved, ResolveAxis(node, axis, rank));
  return resolved == rank - 1;
}

Result<bool> JoinsTwo(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const ConcatAttrs attrs, ReadAttrs<ConcatAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const bool last, IsLast(node, attrs.axis));
  return last && node.inputs.size() == 2 &&
         node.inputs[0].type.dtype == DataType::kF32 &&
         node.inputs[0].type == node.inputs[1].type &&
         NumElements(node.outputs[0].shape) > 0;
}

Result<bool> ShufflesTwo(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const ChannelShuffleAttrs attrs,
                        ReadAttrs<ChannelShuffleAttrs>(node));
  return attrs.group == 2;
}

Result<bool> SplitsInTwo(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const SplitAttrs attrs, ReadAttrs<SplitAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const bool last, IsLast(node, attrs.axis));
  return last && node.outputs.size() == 2 &&
         node.outputs[0].shape.back() % 2 == 0;
}

Result<bool> MatchFusedShuffle(const std::vector<FusedNode>& chain) {
  const auto is = [&chain](size_t i, const char* op) {
    return chain[i].node->op == op && chain[i].previous <= 0;
  };
  if (chain.size() < 2 || chain.size() > 3 || !is(0, "Concat") ||
      !is(1, "ChannelShuffle") || (chain.size() == 3 && !is(2, "Split"))) {
    return false;
  }
  MACE_ASSIGN_OR_RETURN(const bool joins, JoinsTwo(*chain[0].node));
  MACE_ASSIGN_OR_RETURN(const bool shuffles, ShufflesTwo(*chain[1].node));
  if (chain.size() == 2) return joins && shuffles;
  MACE_ASSIGN_OR_RETURN(const bool splits, SplitsInTwo(*chain[2].node));
  return joins && shuffles && splits;
}

}  // namespace

Result<KernelPtr> PrepareFusedShuffle(const std::vector<FusedNode>& chain,
                                      CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const bool matches, MatchFusedShuffle(chain));
  if (context.reference || !matches) {
    return Unsupported("only a Concat of two tensors can be fused");
  }
  const mace::Shape& x = chain[0].node->inputs[0].type.shape;
  const int64_t n = x.back();
  const int64_t rows = NumElements(x) / n;
  // The number of elements of each input that go to the first output.
  const int64_t first = chain.back().node->outputs[0].shape.back() / 2;
  ThreadPool* threads = context.threads;
  const auto run = [=](const RunArgs& args) {
    const auto* a = args.inputs[0].as<const float>();
    const auto* b = args.inputs[1].as<const float>();
    auto* y = args.outputs[0].as<float>();
    auto* rest = first < n ? args.outputs[1].as<float>() : nullptr;
    threads->ParallelFor(
        rows, std::max<int64_t>(kTaskFloats / n, 1),
        [&](size_t begin, size_t end) {
          for (size_t row = begin; row < end; ++row) {
            const float *from_a = a + row * n, *from_b = b + row * n;
            Interleave(from_a, from_b, first, y + row * 2 * first);
            if (rest == nullptr) continue;
            Interleave(from_a + first, from_b + first, n - first,
                       rest + row * 2 * (n - first));
          }
        });
  };
  KernelProperties properties;
  properties.variant = "interleaving";
  return MakeKernel(run, properties);
}

}  // namespace mace::cpu
