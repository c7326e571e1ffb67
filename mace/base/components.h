// The components that a library for apps can do without.
// SPDX-License-Identifier: Apache-2.0
//
// `components` of a deployment file, or -DMACE_COMPONENTS of a build by CMake
// alone, lists those of a library; all other builds have all of them:
//
//   diagnostics   what engines tell: Dump and the plan in the log, the time of
//                 each op, traces, checks of numbers, GetCapability
//   dynamic       models with dynamic dimensions, states or control flow
//   encryption    encrypted models
//   interfaces    what apps call besides engines: the C API, images, custom
//                 ops, tuning, asynchronous runs, stores in files
//   language      tokenizers, and generating text with language models
//   memory_tools  plans of memory other than the quick ones, plans and packed
//                 weights in model files, the caller's arena, GetMemoryUsage
//   activations, depthwise, strassen, winograd
//                 kernels that only some models use (docs/library.md)
//
// Without a component, a file absent_*.cc in each of its folders defines null
// objects in its place, so that the linker drops all that the component needs
// (component_unity of mace/unity.bzl). Functions that apps call then fail or
// log with AbsentComponent; others may do nothing.
#ifndef MACE_BASE_COMPONENTS_H_
#define MACE_BASE_COMPONENTS_H_

#include "mace/base/status.h"

namespace mace {

// MACE_UNSUPPORTED: `what` needs this component, by its name in deployment
// files.
Status AbsentComponent(const char* what, const char* component);

}  // namespace mace

#endif  // MACE_BASE_COMPONENTS_H_
