// The parts that a library for apps can do without.
// SPDX-License-Identifier: Apache-2.0
//
// `parts` of a deployment file lists those of a library; all other builds have
// all of them. What an absent part would do fails with AbsentPart.
// mace/build_defs.bzl has the flags of each.
#ifndef MACE_BASE_PARTS_H_
#define MACE_BASE_PARTS_H_

#include "mace/base/status.h"

namespace mace {

#ifdef MACE_WITHOUT_PICTURES
constexpr bool kHasPictures = false;
#else
constexpr bool kHasPictures = true;
#endif

#ifdef MACE_WITHOUT_DUMPS
constexpr bool kHasDumps = false;
#else
constexpr bool kHasDumps = true;
#endif

#ifdef MACE_WITHOUT_TUNING
constexpr bool kHasTuning = false;
#else
constexpr bool kHasTuning = true;
#endif

#ifdef MACE_WITHOUT_STRATEGIES
constexpr bool kHasStrategies = false;
#else
constexpr bool kHasStrategies = true;
#endif

#ifdef MACE_WITHOUT_CUSTOM_OPS
constexpr bool kHasCustomOps = false;
#else
constexpr bool kHasCustomOps = true;
#endif

#ifdef MACE_WITHOUT_CAPABILITY
constexpr bool kHasCapability = false;
#else
constexpr bool kHasCapability = true;
#endif

#ifdef MACE_WITHOUT_CHECK_NUMERICS
constexpr bool kHasCheckNumerics = false;
#else
constexpr bool kHasCheckNumerics = true;
#endif

// The caller's arena, and asking how large it must be.
#ifdef MACE_WITHOUT_ARENA
constexpr bool kHasArena = false;
#else
constexpr bool kHasArena = true;
#endif

// Memory plans in model files, and those that the caller gives.
#ifdef MACE_WITHOUT_MEMORY_PLANS
constexpr bool kHasMemoryPlans = false;
#else
constexpr bool kHasMemoryPlans = true;
#endif

// Models whose inputs have open dimensions.
#ifdef MACE_WITHOUT_OPEN_SHAPES
constexpr bool kHasOpenShapes = false;
#else
constexpr bool kHasOpenShapes = true;
#endif

// Models with packed weights.
#ifdef MACE_WITHOUT_PACKED_WEIGHTS
constexpr bool kHasPackedWeights = false;
#else
constexpr bool kHasPackedWeights = true;
#endif

// Without it a library loads no model that has states.
#ifdef MACE_WITHOUT_STATES
constexpr bool kHasStates = false;
#else
constexpr bool kHasStates = true;
#endif

#ifdef MACE_WITHOUT_CONTROL_FLOW
constexpr bool kHasControlFlow = false;
#else
constexpr bool kHasControlFlow = true;
#endif

#ifdef MACE_WITHOUT_MEMORY_USAGE
constexpr bool kHasMemoryUsage = false;
#else
constexpr bool kHasMemoryUsage = true;
#endif

#ifdef MACE_WITHOUT_STRASSEN
constexpr bool kHasStrassen = false;
#else
constexpr bool kHasStrassen = true;
#endif

// The sections of an arena, which GetMemoryUsage counts, too.
constexpr bool kHasArenaSections = kHasArena || kHasMemoryUsage;

// Plans that take over what another plan decided.
constexpr bool kHasPatterns = kHasOpenShapes || kHasControlFlow;

// RunMetadata: what each op took.
#ifdef MACE_WITHOUT_PROFILE
constexpr bool kHasProfile = false;
#else
constexpr bool kHasProfile = true;
#endif

// The searches for smaller memory plans; of strategies, some are searches.
#if defined(MACE_WITHOUT_SEARCH) && defined(MACE_WITHOUT_STRATEGIES)
constexpr bool kHasSearch = false;
#else
constexpr bool kHasSearch = true;
#endif

#ifdef MACE_WITHOUT_WINOGRAD
constexpr bool kHasWinograd = false;
#else
constexpr bool kHasWinograd = true;
#endif

// MACE_UNSUPPORTED: `what` needs this part, by its name in deployment files.
Status AbsentPart(const char* what, const char* part);

}  // namespace mace

#endif  // MACE_BASE_PARTS_H_
