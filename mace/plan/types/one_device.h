// Whether the CPU is the only device of this build.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TYPES_ONE_DEVICE_H_
#define MACE_PLAN_TYPES_ONE_DEVICE_H_

namespace mace {

// Then no node has to be placed, no tensor moves, and no plan has images: a
// library leaves out the code for that.
#ifdef MACE_CPU_ONLY
inline constexpr bool kOneDevice = true;
#else
inline constexpr bool kOneDevice = false;
#endif

}  // namespace mace

#endif  // MACE_PLAN_TYPES_ONE_DEVICE_H_
