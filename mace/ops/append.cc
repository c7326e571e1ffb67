// Append: adds rows behind those that a tensor with capacity for more holds.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   cache  any type; its first rows along the axis are those so far
//          past   as cache, with as many rows as there are so far; only its
//                 shape is read
//          rows   as cache, with the rows that are added
// Outputs  y      cache with the rows behind those so far. If the axis of cache
//                 is too short, that of y has twice its extent, at least 16
//                 and at least what is needed; what no row fills is 0 there
//          count  i64 [1]: how many rows y holds now
//          all    these rows: past and rows, joined; optional
// Attrs    axis   default -1, in [-rank, rank)
// Errors   axis out of range; past with more rows than cache; inputs that
//          differ in type or in another extent
// Source   ONNX TensorScatter-24 where all rows begin at one place, with a
//          capacity that grows. Engines make these nodes of a Concat whose
//          result is the next value of its input, a state (docs/engine.md)

#include "mace/ops/append.h"

#include <algorithm>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr int64_t kMinCapacity = 16;
constexpr int64_t kMaxRows = int64_t{1} << 48;  // sums and doubles fit

}  // namespace

Result<AppendExtents> ResolveAppend(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const AppendAttrs attrs, ReadAttrs<AppendAttrs>(node));
  const TensorType& cache = node.inputs[kAppendCache].type;
  AppendExtents e;
  MACE_ASSIGN_OR_RETURN(e.axis, ResolveAxis(node, attrs.axis, cache.rank()));
  for (const size_t i : {kAppendPast, kAppendRows}) {
    const TensorType& x = node.inputs[i].type;
    bool fits = x.rank() == cache.rank();
    for (int d = 0; fits && d < cache.rank(); ++d) {
      fits = d == e.axis || x.shape[d] == cache.shape[d];
    }
    if (fits) continue;
    return NodeError(node, "input ", i, " is ", ToString(x),
                     ", it may differ from input 0 ", ToString(cache),
                     " only along axis ", e.axis);
  }
  e.capacity = cache.shape[e.axis];
  e.past = node.inputs[kAppendPast].type.shape[e.axis];
  e.rows = node.inputs[kAppendRows].type.shape[e.axis];
  if (e.past > e.capacity) {
    return NodeError(node, "input 1 has ", e.past, " rows along axis ", e.axis,
                     ", but input 0, which must hold them, has ", e.capacity);
  }
  if (e.capacity > kMaxRows || e.rows > kMaxRows) {
    return NodeError(node, "inputs with ", std::max(e.capacity, e.rows),
                     " rows along axis ", e.axis, " are too large");
  }
  Shape all = cache.shape;
  all[e.axis] = e.all();
  MACE_RETURN_IF_ERROR(CheckedNumElements(all).status());
  e.next_capacity = e.capacity;
  if (e.all() > e.capacity) {
    e.next_capacity = std::max({e.all(), 2 * e.capacity, kMinCapacity});
  }
  all[e.axis] = e.next_capacity;
  MACE_RETURN_IF_ERROR(CheckedNumElements(all).status());
  return e;
}

namespace ops {
namespace {

Status InferAppend(Node& node) {
  MACE_ASSIGN_OR_RETURN(const AppendExtents e, ResolveAppend(node));
  const size_t num_outputs = node.outputs.size();
  TensorType y = node.inputs[kAppendCache].type, all = y;
  y.shape[e.axis] = e.next_capacity;
  all.shape[e.axis] = e.all();
  node.outputs = {y, {DataType::kI64, {1}}, all};
  node.outputs.resize(num_outputs);
  return Status();
}

}  // namespace

Op Append() {
  return Op{"Append", 3, 3, 3, InferAppend, AttrsOf<AppendAttrs>}
      .NamesAxes("axis")
      .Takes({AnyType(), AsInput(0)});
}

}  // namespace ops
}  // namespace mace
