// MakeBroadcastKernel: a kernel that computes row by row from inputs that
// broadcast.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_BROADCAST_KERNEL_H_
#define MACE_CPU_COMMON_BROADCAST_KERNEL_H_

#include <cstdint>
#include <vector>

#include "mace/cpu/common/function_kernel.h"

namespace mace {

class ThreadPool;

namespace cpu {

// n consecutive elements of the output, and those of up to three inputs that
// they are computed from. x[i] and y point to the first of them; a step of 0
// repeats one element, and 1 goes through them. Inputs need not have the type
// of the output.
struct BroadcastRow {
  int64_t n = 0;
  const void* x[3] = {};
  int64_t step[3] = {};  // between the elements of an input, in elements
  void* y = nullptr;
  int64_t mode = 0;  // BroadcastSpec::mode, for the function

  // Returns element i of the row of an input of type T.
  template <typename T>
  T At(int input, int64_t i) const {
    return static_cast<const T*>(x[input])[i * step[input]];
  }
};

struct BroadcastSpec {
  std::vector<size_t> inputs;  // of the node, in the order of BroadcastRow
  // Computes one row; called from several threads at once.
  void (*row)(const BroadcastRow& row) = nullptr;
  int64_t mode = 0;
};

// Makes the kernel. The shapes of `node` are read now, and it need not outlive
// the call; `threads` must outlive the kernel. REQUIRES: 1 to 3 inputs, which
// broadcast to output 0.
KernelPtr MakeBroadcastKernel(const Node& node, const BroadcastSpec& spec,
                              ThreadPool* threads,
                              KernelProperties properties = {});

}  // namespace cpu
}  // namespace mace

#endif  // MACE_CPU_COMMON_BROADCAST_KERNEL_H_
