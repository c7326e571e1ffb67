// Gru on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/gru.h"

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/recurrent/recurrent_kernel.h"

namespace mace::cpu {
namespace {

class GruKernel final : public RecurrentKernel {
 public:
  static Result<KernelPtr> Create(const Node& node, CpuContext& context) {
    MACE_ASSIGN_OR_RETURN(const GruAttrs attrs, ReadAttrs<GruAttrs>(node));
    MACE_ASSIGN_OR_RETURN(const RecurrentShape s,
                          ResolveRecurrent(node, attrs, 3));
    MACE_ASSIGN_OR_RETURN(
        const std::vector<RecurrentActivation> functions,
        ResolveRecurrentActivations(
            node, attrs, {attrs.gate_activation, attrs.cell_activation}));
    auto kernel = std::make_unique<GruKernel>();
    kernel->gate_ = RecurrentActivator(functions[0], context);
    kernel->cell_ = RecurrentActivator(functions[1], context);
    kernel->linear_before_reset_ = attrs.linear_before_reset;
    RecurrentCellProperties properties;
    properties.parts = {2 * s.hidden, s.hidden};
    properties.summed_biases = attrs.linear_before_reset ? 2 : 3;
    properties.work_width = s.hidden;
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
      float* gates = s.gates + i * s.gates_stride;
      Bound(gates, 2 * n, clip());
      gate_.Apply(gates, 2 * n);
    }
    if (linear_before_reset_) {
      ResetProduct(s);
    } else {
      ResetState(s);
    }
    for (int64_t i = 0; i < s.rows; ++i) {
      if (!s.IsActive(i)) continue;
      const float* z = s.gates + i * s.gates_stride;
      float* next = s.gates + i * s.gates_stride + 2 * n;
      Bound(next, n, clip());
      cell_.Apply(next, n);
      float* h = s.h + i * n;
      // (1 - z) next + z h
      for (int64_t j = 0; j < n; ++j) h[j] = next[j] + z[j] * (h[j] - next[j]);
    }
  }

 private:
  // gates n += (r h) R'
  void ResetState(const RecurrentStep& s) const {
    const int64_t n = shape().hidden;
    for (int64_t i = 0; i < s.rows; ++i) {
      const float* reset = s.gates + i * s.gates_stride + n;
      const float* h = s.h + i * n;
      float* to = s.work + i * n;
      for (int64_t j = 0; j < n; ++j) to[j] = reset[j] * h[j];
    }
    float* next = s.gates + 2 * n;
    r().Multiply(s.r, s.direction, 1,
                 {s.rows, s.work, n, nullptr, next, next, s.gates_stride},
                 s.threads);
  }

  // gates n += r (h R' + bias of R)
  void ResetProduct(const RecurrentStep& s) const {
    const int64_t n = shape().hidden;
    const bool has_bias = s.args->inputs.size() > kRecurrentBias &&
                          s.args->inputs[kRecurrentBias].handle != nullptr;
    const float* bias = has_bias
                            ? s.args->inputs[kRecurrentBias].as<const float>() +
                                  (6 * s.direction + 5) * n
                            : nullptr;
    r().Multiply(s.r, s.direction, 1,
                 {s.rows, s.h, n, bias, nullptr, s.work, n}, s.threads);
    for (int64_t i = 0; i < s.rows; ++i) {
      const float* reset = s.gates + i * s.gates_stride + n;
      const float* product = s.work + i * n;
      float* next = s.gates + i * s.gates_stride + 2 * n;
      for (int64_t j = 0; j < n; ++j) next[j] += reset[j] * product[j];
    }
  }

  RecurrentActivator gate_, cell_;
  bool linear_before_reset_ = false;
};

}  // namespace

CpuKernelDefs Gru() { return {{DataType::kF32, GruKernel::Create}}; }

}  // namespace mace::cpu
