// The number of work items in a group.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_LOCAL_SIZE_H_
#define MACE_OPENCL_LAUNCH_LOCAL_SIZE_H_

#include <array>
#include <cstddef>
#include <vector>

#include "mace/opencl/driver/device_info.h"

namespace mace::opencl {

using Grid = std::array<size_t, 3>;

// Returns a group size, in positions, for a grid of `global` positions, each
// computed by `team` items that are neighbours in dimension 2. The group has at
// most `max_items` items. It is wide in the dimensions in which the grid is
// wide, so that neighbouring items read neighbouring pixels. REQUIRES: `team`
// is at most `max_items`.
Grid ChooseLocalSize(const Grid& global, size_t team, size_t max_items,
                     const DeviceInfo& info);

// Returns the group sizes that are worth measuring, at most 20: the one of
// ChooseLocalSize first, then groups of powers of two that are at least an
// eighth full, the most similar first.
std::vector<Grid> LocalSizeCandidates(const Grid& global, size_t team,
                                      size_t max_items, const DeviceInfo& info);

// Rounds each extent of `global` up to a multiple of `local`.
Grid RoundUp(const Grid& global, const Grid& local);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_LOCAL_SIZE_H_
