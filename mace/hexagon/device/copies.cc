// Expand, Tile, Unstack, and Gather by constant indices: bytes that
// move, some of them several times.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/graph/attrs.h"
#include "mace/hexagon/device/box_nodes.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/gather.h"
#include "mace/ops/unstack.h"

namespace mace::hexagon {

Status TranslateExpand(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  const Shape &x = node.inputs[0].type.shape, &y = node.outputs[0].shape;
  const std::vector<int64_t> dense = StridesOf(x);
  std::vector<int64_t> strides(y.size(), 0);
  const size_t missing = y.size() - x.size();
  for (size_t d = 0; d < x.size(); ++d) {
    if (x[d] == y[missing + d]) strides[missing + d] = dense[d];
  }
  return AddDenseMove(node, y, strides, 0, target);
}

// Each axis of y is [repeats, extent].
Status TranslateTile(const Node& node, const Target& target,
                     int64_t* /*macs*/) {
  const Shape &x = node.inputs[0].type.shape, &y = node.outputs[0].shape;
  const std::vector<int64_t> dense = StridesOf(x);
  Shape extents;
  std::vector<int64_t> strides;
  for (size_t d = 0; d < x.size(); ++d) {
    extents.push_back(y[d] / x[d]);
    extents.push_back(x[d]);
    strides.push_back(0);
    strides.push_back(dense[d]);
  }
  return AddDenseMove(node, extents, strides, 0, target);
}

Status TranslateUnstack(const Node& node, const Target& target,
                        int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<UnstackAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, x.rank()));
  std::vector<int64_t> strides = StridesOf(x.shape);
  const int64_t step = strides[axis];
  strides.erase(strides.begin() + axis);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    MACE_RETURN_IF_ERROR(AddDenseMove(node, node.outputs[i].shape, strides,
                                      static_cast<int64_t>(i) * step, target,
                                      i));
  }
  return Status();
}

namespace {

int64_t IndexAt(const Operand& indices, int64_t i) {
  return indices.type.dtype == DataType::kI64
             ? static_cast<const int64_t*>(indices.data)[i]
             : static_cast<const int32_t*>(indices.data)[i];
}

}  // namespace

Status TranslateGather(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<GatherAttrs>(node));
  const Operand& indices = node.inputs[1];
  const Shape& x = node.inputs[0].type.shape;
  const int64_t count = NumElements(indices.type.shape);
  const DataType type = indices.type.dtype;
  constexpr int64_t kMaxIndices = 1 << 20;
  if (indices.data == nullptr || attrs.batch_dims != 0 ||
      (type != DataType::kI64 && type != DataType::kI32) || count < 1 ||
      count > kMaxIndices) {
    return Unsupported(Label(node), ": the DSP gathers by constant indices, ",
                       "without batch_dims");
  }
  MACE_RETURN_IF_ERROR(CheckScales(node));
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer words,
      AlignedBuffer::Create(static_cast<size_t>(count) * sizeof(int32_t),
                            "indices for the DSP"));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = IndexAt(indices, i);
    if (at < (attrs.from_start ? 0 : -x[axis]) || at >= x[axis]) {
      return Unsupported(Label(node), ": index ", at, " is out of range");
    }
    static_cast<int32_t*>(words.data())[i] =
        static_cast<int32_t>(at < 0 ? at + x[axis] : at);
  }
  if (target.writer == nullptr) return Status();
  GatherParams p = {1, static_cast<int32_t>(x[axis]),
                    static_cast<int32_t>(count), 1};
  for (size_t d = 0; d < x.size(); ++d) {
    if (d == static_cast<size_t>(axis)) continue;
    (d < static_cast<size_t>(axis) ? p.outer : p.inner) *=
        static_cast<int32_t>(x[d]);
  }
  const int table = target.writer->AddConstant(std::move(words));
  target.writer->AddNode(kGather, {target.inputs[0], table, target.output}, p);
  return Status();
}

}  // namespace mace::hexagon
