// Range on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/range.h"

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/wrap.h"

namespace mace::cpu {
namespace {

Result<KernelPtr> PrepareRangeF32(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const RangeSpec spec, RangeOf(node));
  return MakeKernel([spec](const RunArgs& args) {
    float* y = args.outputs[0].as<float>();
    for (int64_t i = 0; i < spec.count; ++i) {
      y[i] =
          static_cast<float>(spec.start + static_cast<double>(i) * spec.delta);
    }
  });
}

template <typename T>
Result<KernelPtr> PrepareInt(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const RangeSpec spec, RangeOf(node));
  return MakeKernel([spec](const RunArgs& args) {
    T* y = args.outputs[0].as<T>();
    int64_t v = spec.start_int;
    for (int64_t i = 0; i < spec.count; ++i) {
      y[i] = static_cast<T>(v);
      v = Wrap<int64_t>::Add(v, spec.delta_int);  // one step too far
    }
  });
}

}  // namespace

CpuKernelDefs Range() {
  return {{DataType::kF32, PrepareRangeF32},
          {DataType::kI32, PrepareInt<int32_t>},
          {DataType::kI64, PrepareInt<int64_t>}};
}

}  // namespace mace::cpu
