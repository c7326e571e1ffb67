// Checks that ops with a filter (or weight) and a bias share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_FILTER_H_
#define MACE_OPS_COMMON_FILTER_H_

#include "mace/graph/node.h"

namespace mace {

// Checks that input 1 is a filter with `rank` dimensions, none of them 0.
// `form` names the dimensions in the message, as in "[O, C / group, kh, kw]".
// Errors of all three functions: MACE_INVALID_MODEL, with the node and the
// types.
Status CheckFilter(const Node& node, int rank, const char* form);

// Checks that input 1, [O, C / group, kh, kw], fits input 0, [N, H, W, C], and
// that `group` divides both C and O. REQUIRES: both have four dimensions.
Status CheckGroups(const Node& node, int64_t group);

// Checks that input 2, if there is one, is a bias [channels].
Status CheckBias(const Node& node, int64_t channels);

}  // namespace mace

#endif  // MACE_OPS_COMMON_FILTER_H_
