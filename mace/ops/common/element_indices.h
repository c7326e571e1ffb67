// What holds for indices of elements along an axis, for gathering and
// scattering.
// SPDX-License-Identifier: Apache-2.0

#ifndef MACE_OPS_COMMON_ELEMENT_INDICES_H_
#define MACE_OPS_COMMON_ELEMENT_INDICES_H_

#include "mace/base/status.h"
#include "mace/graph/graph.h"

namespace mace::ops {

// Checks that operand 1 of a node, the indices, has the rank of operand 0,
// which messages call `what`, and is no larger than it except along `axis`. The
// values of the indices are checked when the node runs. REQUIRES: an axis of
// operand 0. Errors: MACE_INVALID_MODEL.
Status CheckElementIndices(const Node& node, int axis, const char* what);

}  // namespace mace::ops

#endif  // MACE_OPS_COMMON_ELEMENT_INDICES_H_
