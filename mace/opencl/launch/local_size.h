// How many work items make a group.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_LOCAL_SIZE_H_
#define MACE_OPENCL_LAUNCH_LOCAL_SIZE_H_

#include <array>
#include <cstddef>
#include <vector>

#include "mace/opencl/driver/device_facts.h"

namespace mace::opencl {

using Grid = std::array<size_t, 3>;

// A group for `global` items, of at most `max_items`: wide along the dimensions
// in which the grid is, so that neighbours read neighbouring pixels.
Grid ChooseLocalSize(const Grid& global, size_t max_items,
                     const DeviceFacts& facts);

// The groups worth measuring, the one above first, then by likeness to it: full
// or half full ones of powers of two.
std::vector<Grid> LocalSizeCandidates(const Grid& global, size_t max_items,
                                      const DeviceFacts& facts);

// `global` with each extent rounded up to a multiple of `local`.
Grid RoundUp(const Grid& global, const Grid& local);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_LOCAL_SIZE_H_
