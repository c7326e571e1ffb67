// The error for a component that this library does not have.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"

namespace mace {

Status AbsentComponent(const char* what, const char* component) {
  return Unsupported(what, ": this library was built without the component '",
                     component,
                     "'; add it to `components` at the top of the deployment "
                     "file and build the library again (with CMake alone: add "
                     "it to -DMACE_COMPONENTS)");
}

}  // namespace mace
