// Append: adds rows behind those that a tensor with room for more holds.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   room   any type; its first rows along the axis are those so far
//          past   as room, with as many rows as there are so far; only its
//                 shape is read
//          rows   as room, with the rows that are added
// Outputs  y      room with the rows behind those so far. If the axis of room
//                 is too short, that of y has twice its extent, at least 16
//                 and at least what is needed; what no row fills is 0 there
//          count  i64 [1]: how many rows y holds now
//          all    these rows: past and rows, joined; optional
// Attrs    axis   default -1, in [-rank, rank)
// Errors   axis out of range; past with more rows than room; inputs that differ
//          in type or in another extent
// Source   ONNX TensorScatter-24 where all rows begin at one place, with room
//          that grows. Engines make these nodes of a Concat whose result is
//          the next value of its input, a state (docs/engine.md)

#include "mace/ops/append.h"

#include <algorithm>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr int64_t kLeastRoom = 16;
constexpr int64_t kMostRows = int64_t{1} << 48;  // sums and doubles fit

}  // namespace

Result<AppendExtents> ResolveAppend(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const AppendAttrs attrs, ReadAttrs<AppendAttrs>(node));
  const TensorType& room = node.inputs[kAppendRoom].type;
  AppendExtents e;
  MACE_ASSIGN_OR_RETURN(e.axis, ResolveAxis(node, attrs.axis, room.rank()));
  for (const size_t i : {kAppendPast, kAppendRows}) {
    const TensorType& x = node.inputs[i].type;
    bool fits = x.rank() == room.rank();
    for (int d = 0; fits && d < room.rank(); ++d) {
      fits = d == e.axis || x.shape[d] == room.shape[d];
    }
    if (fits) continue;
    return NodeError(node, "input ", i, " is ", ToString(x),
                     ", it may differ from input 0 ", ToString(room),
                     " only along axis ", e.axis);
  }
  e.room = room.shape[e.axis];
  e.past = node.inputs[kAppendPast].type.shape[e.axis];
  e.rows = node.inputs[kAppendRows].type.shape[e.axis];
  if (e.past > e.room) {
    return NodeError(node, "input 1 has ", e.past, " rows along axis ", e.axis,
                     ", but input 0, which must hold them, has ", e.room);
  }
  if (e.room > kMostRows || e.rows > kMostRows) {
    return NodeError(node, "inputs with ", std::max(e.room, e.rows),
                     " rows along axis ", e.axis, " are too large");
  }
  Shape all = room.shape;
  all[e.axis] = e.all();
  MACE_RETURN_IF_ERROR(CheckedNumElements(all).status());
  e.next_room = e.room;
  if (e.all() > e.room) {
    e.next_room = std::max({e.all(), 2 * e.room, kLeastRoom});
  }
  all[e.axis] = e.next_room;
  MACE_RETURN_IF_ERROR(CheckedNumElements(all).status());
  return e;
}

namespace ops {
namespace {

Status InferAppend(Node& node) {
  MACE_ASSIGN_OR_RETURN(const AppendExtents e, ResolveAppend(node));
  const size_t num_outputs = node.outputs.size();
  TensorType y = node.inputs[kAppendRoom].type, all = y;
  y.shape[e.axis] = e.next_room;
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
