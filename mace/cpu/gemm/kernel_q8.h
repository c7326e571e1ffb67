// KernelQ8: the kernel of a layer of quantized values with a filter.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_KERNEL_Q8_H_
#define MACE_CPU_GEMM_KERNEL_Q8_H_

#include <string>
#include <utility>
#include <vector>

#include "mace/device/kernel.h"

namespace mace::cpu {

// Runs an F: a ConvGemmQ8, a DepthwiseQ8 or a ConvWinogradQ8, of one input and
// one output of 8-bit values. `name` is the variant. An F has
//   scratch_bytes(), SafeDistanceBytes()       -1: no overlap
//   Run(x, y, scratch)                         y is dense
//   Run(x, y, row_stride, scratch)             if kWritesRows; 0: y is dense
template <typename F>
struct KernelQ8 final : Kernel {
  KernelQ8(F f_in, std::string name_in, int64_t macs_in)
      : f(std::move(f_in)), name(std::move(name_in)), num_macs(macs_in) {
    if (F::kWritesRows) set_writes_rows();
  }

  int64_t scratch_bytes() const override { return f.scratch_bytes(); }
  int64_t macs() const override { return num_macs; }
  std::string variant() const override { return name; }
  std::vector<Overlap> overlaps() const override {
    const int64_t distance = f.SafeDistanceBytes();
    if (distance < 0) return {};
    return {{0, distance}};
  }
  Status Run(const RunArgs& args) override {
    const auto* x = args.inputs[0].as<const uint8_t>();
    auto* y = args.outputs[0].as<uint8_t>();
    if constexpr (F::kWritesRows) {
      f.Run(x, y, row_stride(), args.scratch.handle);
    } else {
      f.Run(x, y, args.scratch.handle);
    }
    return Status();
  }

  const F f;
  const std::string name;
  const int64_t num_macs;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_KERNEL_Q8_H_
