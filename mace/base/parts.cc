// The error for a part that this library does not have.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/parts.h"

namespace mace {

Status AbsentPart(const char* what, const char* part) {
  return Unsupported(what, ": this library was built without the part '", part,
                     "'; add it to `parts` at the top of the deployment file "
                     "and build the library again (with CMake alone: add it to "
                     "-DMACE_PARTS)");
}

}  // namespace mace
