// The OpenCL C text of this build, in a table that the build writes from the
// .cl files.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_KERNEL_SOURCE_H_
#define MACE_OPENCL_DRIVER_KERNEL_SOURCE_H_

namespace mace::opencl {

struct KernelSource {
  const char* name;  // of the file, without .cl
  const char* text;
};
extern const KernelSource kKernelSources[];
extern const int kNumKernelSources;

// Returns the text of `name`.cl, or null if there is no such file.
const char* FindKernelSource(const char* name);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_KERNEL_SOURCE_H_
