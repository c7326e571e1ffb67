// Reading the dimensions of a model's inputs whose extents each run chooses.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_OPEN_DIMS_H_
#define MACE_MODEL_OPEN_DIMS_H_

#include <map>
#include <string>

#include "mace/model/model.h"
#include "mace/proto/messages.h"

namespace mace {

// Sets `*open` to what the file states of the dimensions of a model's input or
// variable, and `*shape` to a shape without dynamic dimensions: with the
// largest sizes, or 1 where there is no limit. `what` begins messages. Errors:
// MACE_INVALID_MODEL for a size below -1; for names or limits whose number,
// unless 0, is not the rank; for a name that is not UTF-8; for a limit of a
// dynamic size below 1, except -1, which `*shape` then has and callers refuse;
// for a limit of a fixed size that differs from the size.
Status ReadOpenDims(const stored::TensorInfo& info, const std::string& what,
                    OpenDims* open, Shape* shape);

// Returns whether any dimension is dynamic; names and limits do not count.
bool HasOpenDims(const OpenDims& open);

// Returns whether a run may choose this shape: of the same rank, with the fixed
// sizes, and no size above its maximum.
bool MayBe(const OpenDims& open, const Shape& shape);

// Checks that dynamic dimensions of the same name have the same limit, or all
// none. Errors: MACE_INVALID_MODEL.
Status CheckOpenDims(const Graph& graph, const std::map<int, OpenDims>& open);

}  // namespace mace

#endif  // MACE_MODEL_OPEN_DIMS_H_
