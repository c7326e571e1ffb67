// PrepareCustom in a library without the component `interfaces`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/cpu/custom_kernel.h"

namespace mace::cpu {

Result<KernelPtr> PrepareCustom(const Node&, ThreadPool*) {
  return AbsentComponent("a custom op", "interfaces");
}

}  // namespace mace::cpu
