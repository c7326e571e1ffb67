// Checks common to the ops that have a filter (or weight) and a bias.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_FILTER_H_
#define MACE_OPS_COMMON_FILTER_H_

#include "mace/graph/node.h"

namespace mace {

// Input 1 is a filter of `rank` dimensions, none of them 0. `form` names its
// dimensions for the message.
Status CheckFilter(const Node& node, int rank, const char* form);

// Input 1, [O, C / group, kh, kw], fits input 0, [N, H, W, C], and `group`
// divides both C and O. REQUIRES: both have four dimensions.
Status CheckGroups(const Node& node, int64_t group);

// Input 2, if it is there, is a bias [channels].
Status CheckBias(const Node& node, int64_t channels);

}  // namespace mace

#endif  // MACE_OPS_COMMON_FILTER_H_
