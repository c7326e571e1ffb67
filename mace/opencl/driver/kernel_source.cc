// Finding the text of a .cl file by name.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/kernel_source.h"

#include <cstring>

namespace mace::opencl {

const char* FindKernelSource(const char* name) {
  for (int i = 0; i < kNumKernelSources; ++i) {
    if (std::strcmp(kKernelSources[i].name, name) == 0) {
      return kKernelSources[i].text;
    }
  }
  return nullptr;
}

}  // namespace mace::opencl
