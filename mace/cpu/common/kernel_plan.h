// KernelChoice: what tuning decided about a kernel in place of the cost model.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_KERNEL_CHOICE_H_
#define MACE_CPU_COMMON_KERNEL_CHOICE_H_

#include <algorithm>
#include <cstdint>

namespace mace::cpu {

// The defaults leave everything to the cost model. None but `winograd` and
// `strassen` changes a bit of the result.
struct KernelChoice {
  static constexpr int64_t kModel = -1;

  int64_t chain = kModel;     // 0: nodes one by one; 1: as one kernel
  int64_t winograd = kModel;  // the tile; 0: none
  int64_t strassen = kModel;  // levels of it
  int64_t copy = kModel;      // rows of a product: 0 in place; 1 copied
  int64_t gemm = kModel;      // which of the micro-kernels that the CPU has
  int64_t block = 0;          // rows of a block, doubled (1) or halved (-1)
  int64_t step = 0;           // lines of a chain at a time, likewise
  int64_t width = 0;          // outputs of a depthwise tile; 0: the model's
};

// Every field, in the order of tuning and of what is kept.
struct ChoiceField {
  const char* name;
  int64_t KernelChoice::* value;
};
inline constexpr ChoiceField kChoiceFields[] = {
    {"chain", &KernelChoice::chain},
    {"winograd", &KernelChoice::winograd},
    {"strassen", &KernelChoice::strassen},
    {"copy", &KernelChoice::copy},
    {"gemm", &KernelChoice::gemm},
    {"block", &KernelChoice::block},
    {"step", &KernelChoice::step},
    {"width", &KernelChoice::width},
};

// n, doubled or halved `times`; at least 1.
inline int64_t Doubled(int64_t n, int64_t times) {
  return times < 0 ? std::max<int64_t>(n >> -times, 1) : n << times;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_KERNEL_CHOICE_H_
