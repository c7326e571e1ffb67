// The components that a library for apps can do without.
// SPDX-License-Identifier: Apache-2.0
//
// `components` of a deployment file lists those of a library; all other builds
// have all of them. What an absent one would do fails with AbsentComponent.
#ifndef MACE_BASE_COMPONENTS_H_
#define MACE_BASE_COMPONENTS_H_

#include "mace/base/status.h"

namespace mace {

// What engines tell: Dump and the plan in the log, the time of each op, checks
// of numbers, GetCapability.
#ifdef MACE_WITHOUT_DIAGNOSTICS
constexpr bool kHasDiagnostics = false;
#else
constexpr bool kHasDiagnostics = true;
#endif

// Models whose plan depends on data: dynamic dimensions, states, control flow.
#ifdef MACE_WITHOUT_DYNAMIC
constexpr bool kHasDynamic = false;
#else
constexpr bool kHasDynamic = true;
#endif

// What apps call besides engines: images, custom ops, tuning, stores in files.
#ifdef MACE_WITHOUT_INTERFACES
constexpr bool kHasInterfaces = false;
#else
constexpr bool kHasInterfaces = true;
#endif

// Plans of memory other than the quick ones: searches, strategies, plans and
// packed weights in model files, the caller's arena, GetMemoryUsage.
#ifdef MACE_WITHOUT_MEMORY_TOOLS
constexpr bool kHasMemoryTools = false;
#else
constexpr bool kHasMemoryTools = true;
#endif

// Kernels that a library has where its models use them.
#ifdef MACE_WITHOUT_STRASSEN
constexpr bool kHasStrassen = false;
#else
constexpr bool kHasStrassen = true;
#endif

#ifdef MACE_WITHOUT_WINOGRAD
constexpr bool kHasWinograd = false;
#else
constexpr bool kHasWinograd = true;
#endif

// MACE_UNSUPPORTED: `what` needs this component, by its name in deployment
// files.
Status AbsentComponent(const char* what, const char* component);

}  // namespace mace

#endif  // MACE_BASE_COMPONENTS_H_
