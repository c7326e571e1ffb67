// QuantizedLstm on the CPU.
// SPDX-License-Identifier: Apache-2.0
//
// What all steps add to the gates is one product of matrices, in which each row
// of the weights is read once. The loop over the steps multiplies the state
// only. Sums of quantized values are exact in any order, so that results do not
// depend on the number of threads.

#include "mace/ops/quantized_lstm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/dot_q8.h"
#include "mace/cpu/quantized/fixed_gates.h"
#include "mace/cpu/quantized/fixed_point.h"

namespace mace::cpu {
namespace {

constexpr float kGateScale = 1.0f / 4096;  // of what the activations take
constexpr float kUnit = 1.0f / 32768;      // of what they return
constexpr int kGateBits = 3;               // integer bits of 2^-12 in 16 bits
constexpr int64_t kProducts = 1 << 15;     // at least, of a task

int16_t Bounded(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767));
}

// A weight [rows, depth] without zero points, widened, and what a sum of its
// products is scaled by.
struct Weights {
  int64_t rows = 0, depth = 0;
  std::vector<int16_t> values;
  std::vector<FixedFactor> factors;  // by row

  Weights() = default;
  // `scale`: that of the values that it is multiplied by.
  Weights(const Operand& weight, float scale) {
    rows = weight.type.shape[0];
    depth = weight.type.shape[1];
    const auto* quantized = static_cast<const int8_t*>(weight.data);
    values.assign(quantized, quantized + rows * depth);
    const std::vector<float>& scales = weight.type.quantization->scales;
    for (int64_t row = 0; row < rows; ++row) {
      const float product = scales[scales.size() == 1 ? 0 : row] * scale;
      factors.push_back(ToFixed(product / kGateScale));
    }
  }

  // In units of a gate. 16 bits may not hold it.
  int32_t Scaled(int64_t row, const int16_t* x, int32_t bias) const {
    const uint32_t sum = DotProduct(values.data() + row * depth, x, depth) +
                         static_cast<uint32_t>(bias);
    return Scale(static_cast<int32_t>(sum), factors[row]);
  }
};

class QuantizedLstmKernel final : public Kernel {
 public:
  QuantizedLstmKernel(const Node& node, const QuantizedLstmAttrs& attrs,
                      const QuantizedLstmShape& s, CpuContext& context)
      : threads_(context.threads), s_(s), batch_major_(attrs.batch_major) {
    const auto of = [&](size_t i) -> const Quantization& {
      return *node.inputs[i].type.quantization;
    };
    x_zero_ = of(kQuantizedLstmX).zero_point();
    h_zero_ = of(kQuantizedLstmH).zero_point();
    w_ = Weights(node.inputs[kQuantizedLstmW], of(kQuantizedLstmX).scale());
    r_ = Weights(node.inputs[kQuantizedLstmR], of(kQuantizedLstmH).scale());
    bias_ = static_cast<const int32_t*>(node.inputs[kQuantizedLstmBias].data);
    h_factor_ = ToFixed(kUnit / of(kQuantizedLstmH).scale() * kUnit);
    const float clip = attrs.cell_clip / of(kQuantizedLstmC).scale();
    if (clip > 0) {
      cell_limit_ = static_cast<int32_t>(std::min(clip, 32767.0f));
    }
  }

  int64_t scratch_bytes() const override {
    return steps_bytes() + gates_bytes() + state_bytes();
  }
  int64_t macs() const override {
    return SaturatedProduct(
        {s_.steps, s_.batch, 4 * s_.hidden, s_.inputs + s_.hidden});
  }

  Status Run(const RunArgs& args) override {
    char* const scratch = args.scratch.as<char>();
    auto* x = reinterpret_cast<int16_t*>(scratch);
    auto* gates = reinterpret_cast<int16_t*>(scratch + steps_bytes());
    auto* h =
        reinterpret_cast<int16_t*>(scratch + steps_bytes() + gates_bytes());
    auto* c = h + s_.batch * s_.hidden;
    AddInputs(args.inputs[kQuantizedLstmX].as<const int8_t>(), x, gates);
    const int64_t count = s_.batch * s_.hidden;
    const auto* h_quantized = args.inputs[kQuantizedLstmH].as<const int8_t>();
    for (int64_t i = 0; i < count; ++i) {
      h[i] = static_cast<int16_t>(h_quantized[i] - h_zero_);
    }
    std::copy_n(args.inputs[kQuantizedLstmC].as<const int16_t>(), count, c);
    auto* y = args.outputs[0].as<int8_t>();
    for (int64_t step = 0; step < s_.steps; ++step) Step(step, gates, h, c, y);
    if (args.outputs.size() > 1) {
      auto* last = args.outputs[1].as<int8_t>();
      for (int64_t i = 0; i < count; ++i) {
        last[i] = static_cast<int8_t>(h[i] + h_zero_);
      }
    }
    if (args.outputs.size() > 2) {
      std::copy_n(c, count, args.outputs[2].as<int16_t>());
    }
    return Status();
  }

 private:
  static constexpr int64_t kLine = 64;

  static int64_t BytesOf(int64_t elements) {
    return AlignUp(elements * static_cast<int64_t>(sizeof(int16_t)), kLine);
  }
  int64_t steps_bytes() const {
    return BytesOf(s_.steps * s_.batch * s_.inputs);
  }
  int64_t gates_bytes() const {
    return BytesOf(s_.steps * s_.batch * 4 * s_.hidden);
  }
  int64_t state_bytes() const { return BytesOf(2 * s_.batch * s_.hidden); }

  // The row of x and y of a step of a sequence.
  int64_t RowOf(int64_t step, int64_t sequence) const {
    return batch_major_ ? sequence * s_.steps + step
                        : step * s_.batch + sequence;
  }

  // What x adds to the gates [rows of x, 4H] of all steps.
  void AddInputs(const int8_t* quantized, int16_t* x, int16_t* gates) const {
    const int64_t rows = s_.steps * s_.batch;
    for (int64_t i = 0; i < rows * s_.inputs; ++i) {
      x[i] = static_cast<int16_t>(quantized[i] - x_zero_);
    }
    const int64_t each = std::max<int64_t>(rows * s_.inputs, 1);
    threads_->ParallelFor(w_.rows, std::max<int64_t>(kProducts / each, 1),
                          [&](size_t begin, size_t end) {
                            for (size_t n = begin; n < end; ++n) {
                              const auto gate = static_cast<int64_t>(n);
                              for (int64_t row = 0; row < rows; ++row) {
                                gates[row * w_.rows + gate] = Bounded(w_.Scaled(
                                    gate, x + row * s_.inputs, bias_[gate]));
                              }
                            }
                          });
  }

  void Step(int64_t step, int16_t* gates, int16_t* h, int16_t* c,
            int8_t* y) const {
    const int64_t n = s_.hidden;
    const int64_t each = std::max<int64_t>(s_.batch * n, 1);
    threads_->ParallelFor(
        r_.rows, std::max<int64_t>(kProducts / each, 1),
        [&](size_t begin, size_t end) {
          for (size_t k = begin; k < end; ++k) {
            const auto gate = static_cast<int64_t>(k);
            for (int64_t b = 0; b < s_.batch; ++b) {
              int16_t& sum = gates[RowOf(step, b) * r_.rows + gate];
              sum = Bounded(int64_t{sum} + r_.Scaled(gate, h + b * n, 0));
            }
          }
        });
    for (int64_t b = 0; b < s_.batch; ++b) {
      const int64_t row = RowOf(step, b);
      Cells(gates + row * r_.rows, h + b * n, c + b * n, y + row * n);
    }
  }

  // The state of one sequence after a step.
  void Cells(const int16_t* gates, int16_t* h, int16_t* c, int8_t* y) const {
    const int64_t n = s_.hidden;
    for (int64_t j = 0; j < n; ++j) {
      const int32_t i = FixedSigmoid16(gates[j], kGateBits);
      const int32_t o = FixedSigmoid16(gates[n + j], kGateBits);
      const int32_t f = FixedSigmoid16(gates[2 * n + j], kGateBits);
      const int32_t g = FixedTanh16(gates[3 * n + j], kGateBits);
      const int32_t kept = RoundingShift(f * c[j], 15);
      const auto added =
          static_cast<int16_t>(RoundingShift(i * g, 30 + s_.cell_exponent));
      c[j] = Bounded(kept + added);
      if (cell_limit_ > 0) {
        c[j] = static_cast<int16_t>(
            std::clamp<int32_t>(c[j], -cell_limit_, cell_limit_));
      }
      const int32_t bent = FixedTanh16(c[j], 15 + s_.cell_exponent);
      const int32_t value =
          std::clamp(Scale(o * bent, h_factor_) + h_zero_, -128, 127);
      y[j] = static_cast<int8_t>(value);
      h[j] = static_cast<int16_t>(value - h_zero_);
    }
  }

  ThreadPool* threads_;
  QuantizedLstmShape s_;
  bool batch_major_;
  int32_t x_zero_ = 0, h_zero_ = 0;
  Weights w_, r_;
  const int32_t* bias_;
  FixedFactor h_factor_;
  int32_t cell_limit_ = 0;  // 0: none
};

Result<KernelPtr> PrepareQuantizedLstm(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const QuantizedLstmAttrs attrs,
                        ReadAttrs<QuantizedLstmAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const QuantizedLstmShape s,
                        ResolveQuantizedLstm(node, attrs));
  return KernelPtr(
      std::make_unique<QuantizedLstmKernel>(node, attrs, s, context));
}

}  // namespace

CpuKernelDefs QuantizedLstm() {
  if constexpr (!kHas8BitKernels) return {};
  return {{DataType::kI8, PrepareQuantizedLstm, -1, nullptr,
           /*is_quantized=*/true}};
}

}  // namespace mace::cpu
