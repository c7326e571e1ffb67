// Reading the dimensions of a model's inputs whose extents each run chooses.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_OPEN_DIMS_H_
#define MACE_MODEL_OPEN_DIMS_H_

#include <map>
#include <string>

#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Sets `*open` to what the file says of the dimensions of a model's input, and
// `*shape` to one without dynamic dimensions: with the largest sizes, or 1
// where any size will do. `what` begins messages. Errors: MACE_INVALID_MODEL
// for sizes below -1, another number of names or limits than dimensions, or a
// limit below 1, or beside a fixed size that differs.
Status ReadOpenDims(const stored::TensorInfo& info, const std::string& what,
                    OpenDims* open, Shape* shape);

// Returns whether any size is chosen by the run; names or limits alone do not
// count.
bool HasOpenDims(const OpenDims& open);

// Returns whether a run may choose this shape: of the same rank, with the fixed
// sizes, and no size above its maximum.
bool MayBe(const OpenDims& open, const Shape& shape);

// Checks that dimensions of the same name have the same largest extent. Errors:
// MACE_INVALID_MODEL.
Status CheckOpenDims(const Graph& graph, const std::map<int, OpenDims>& open);

}  // namespace mace

#endif  // MACE_MODEL_OPEN_DIMS_H_
