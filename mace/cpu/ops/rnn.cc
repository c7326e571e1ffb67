// Rnn on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/rnn.h"

#include <cstring>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/recurrent/recurrent_kernel.h"

namespace mace::cpu {
namespace {

class RnnKernel final : public RecurrentKernel {
 public:
  static Result<KernelPtr> Create(const Node& node, CpuContext& context) {
    MACE_ASSIGN_OR_RETURN(const RnnAttrs attrs, ReadAttrs<RnnAttrs>(node));
    MACE_ASSIGN_OR_RETURN(const RecurrentShape s,
                          ResolveRecurrent(node, attrs, 1));
    MACE_ASSIGN_OR_RETURN(
        const std::vector<RecurrentActivation> functions,
        ResolveRecurrentActivations(node, attrs, {attrs.cell_activation}));
    auto kernel = std::make_unique<RnnKernel>();
    kernel->cell_ = RecurrentActivator(functions[0], context);
    RecurrentCellProperties properties;
    properties.parts = {s.hidden};
    properties.summed_biases = 1;
    MACE_RETURN_IF_ERROR(
        kernel->Init(node, attrs, s, properties, /*projection=*/0, context));
    return KernelPtr(std::move(kernel));
  }

 protected:
  void Step(const RecurrentStep& s) const override {
    const int64_t n = shape().hidden;
    r().Multiply(s.r, s.direction, 0,
                 {s.rows, s.h, n, nullptr, s.gates, s.gates, s.gates_stride},
                 s.threads);
    for (int64_t i = 0; i < s.rows; ++i) {
      if (!s.IsActive(i)) continue;
      float* h = s.h + i * n;
      std::memcpy(h, s.gates + i * s.gates_stride,
                  static_cast<size_t>(n) * sizeof(float));
      Bound(h, n, clip());
      cell_.Apply(h, n);
    }
  }

 private:
  RecurrentActivator cell_;
};

}  // namespace

CpuKernelDefs Rnn() { return {{DataType::kF32, RnnKernel::Create}}; }

}  // namespace mace::cpu
