// Reading the dimensions of a model's inputs whose extents each run chooses.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_OPEN_DIMS_H_
#define MACE_MODEL_OPEN_DIMS_H_

#include <map>
#include <string>

#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Returns what the file says of the dimensions of a model's input; `what`
// begins messages. Errors: MACE_INVALID_MODEL.
Result<OpenDims> ReadOpenDims(const stored::TensorInfo& info,
                              const std::string& what);

bool HasOpenDims(const OpenDims& open);

// Returns whether a run may choose this shape.
bool MayBe(const OpenDims& open, const Shape& shape);

// Returns a shape without open extents: the largest ones, or 1 where any extent
// will do.
Shape ClosedShape(const OpenDims& open);

// Checks that dimensions of the same name have the same largest extent. Errors:
// MACE_INVALID_MODEL.
Status CheckOpenDims(const Graph& graph, const std::map<int, OpenDims>& open);

}  // namespace mace

#endif  // MACE_MODEL_OPEN_DIMS_H_
