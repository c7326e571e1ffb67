// Lstm on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/lstm.h"

#include <cmath>
#include <cstring>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/recurrent/recurrent_kernel.h"

namespace mace::cpu {
namespace {

constexpr double kNormEpsilon = 1e-8;  // that of TFLite

// Returns the floats of an optional operand for a direction, or null.
const float* OfDirection(const RecurrentStep& s, size_t input, int64_t count) {
  if (input >= s.args->inputs.size()) return nullptr;
  const float* all = s.args->inputs[input].as<const float>();
  return all == nullptr ? nullptr : all + s.direction * count;
}

[[gnu::noinline]] void AddProduct(const float* a, const float* b, int64_t n,
                                  float* to) {
  for (int64_t j = 0; j < n; ++j) to[j] += a[j] * b[j];
}

// x = (x - mean) / deviation * scale + bias
[[gnu::noinline]] void Normalize(const float* scale, const float* bias,
                                 int64_t n, float* x) {
  double sum = 0, squares = 0;
  for (int64_t j = 0; j < n; ++j) sum += x[j];
  const double mean = sum / static_cast<double>(n);
  for (int64_t j = 0; j < n; ++j) squares += (x[j] - mean) * (x[j] - mean);
  const double factor =
      1 / std::sqrt(squares / static_cast<double>(n) + kNormEpsilon);
  for (int64_t j = 0; j < n; ++j) {
    x[j] = static_cast<float>((x[j] - mean) * factor) * scale[j] + bias[j];
  }
}

class LstmKernel final : public RecurrentKernel {
 public:
  static Result<KernelPtr> Create(const Node& node, CpuContext& context) {
    MACE_ASSIGN_OR_RETURN(const LstmAttrs attrs, ReadAttrs<LstmAttrs>(node));
    MACE_ASSIGN_OR_RETURN(const RecurrentShape s, ResolveLstm(node, attrs));
    MACE_ASSIGN_OR_RETURN(const std::vector<RecurrentActivation> functions,
                          ResolveRecurrentActivations(
                              node, attrs,
                              {attrs.gate_activation, attrs.cell_activation,
                               attrs.output_activation}));
    auto kernel = std::make_unique<LstmKernel>();
    kernel->gate_ = RecurrentActivator(functions[0], context);
    kernel->cell_ = RecurrentActivator(functions[1], context);
    kernel->output_ = RecurrentActivator(functions[2], context);
    kernel->attrs_ = attrs;
    kernel->projects_ = node.has_input(kLstmProjection);
    RecurrentCellProperties properties;
    properties.parts = {4 * s.hidden};
    properties.summed_biases = 4;
    properties.adds_bias = !node.has_input(kLstmNorm);
    properties.has_cells = true;
    properties.work_width = s.hidden + (kernel->projects_ ? s.outputs : 0);
    MACE_RETURN_IF_ERROR(
        kernel->Init(node, attrs, s, properties,
                     kernel->projects_ ? size_t{kLstmProjection} : 0, context));
    return KernelPtr(std::move(kernel));
  }

 protected:
  void Step(const RecurrentStep& s) const override {
    const int64_t n = shape().hidden, width = shape().outputs;
    r().Multiply(
        s.r, s.direction, 0,
        {s.rows, s.h, width, nullptr, s.gates, s.gates, s.gates_stride},
        s.threads);
    for (int64_t i = 0; i < s.rows; ++i) {
      if (!s.IsActive(i)) continue;
      float* hidden = projects_ ? s.work + i * n : s.h + i * n;
      ComputeRow(s, s.gates + i * s.gates_stride, s.c + i * n, hidden);
    }
    if (projects_) Project(s);
  }

 private:
  void ComputeRow(const RecurrentStep& s, float* i, float* c,
                  float* hidden) const {
    const int64_t n = shape().hidden;
    float *o = i + n, *f = i + 2 * n, *g = i + 3 * n;
    const float* peepholes = OfDirection(s, kLstmPeepholes, 3 * n);
    const float* norm = OfDirection(s, kLstmNorm, 4 * n);
    const auto normalize = [&](float* gate, int64_t k) {
      if (norm != nullptr) Normalize(norm + k * n, s.bias + k * n, n, gate);
    };
    if (peepholes != nullptr) {
      AddProduct(peepholes, c, n, i);
      AddProduct(peepholes + 2 * n, c, n, f);
    }
    normalize(i, 0);
    normalize(f, 2);
    normalize(g, 3);
    const bool output_later = peepholes != nullptr || norm != nullptr;
    Bound(i, 4 * n, output_later ? 0 : clip());
    if (output_later) {
      Bound(i, n, clip());
      Bound(f, 2 * n, clip());
      gate_.Apply(i, n);
      gate_.Apply(f, n);
    } else {
      gate_.Apply(i, 3 * n);
    }
    cell_.Apply(g, n);
    UpdateCells(i, f, g, c);
    if (output_later) {
      if (peepholes != nullptr) AddProduct(peepholes + n, c, n, o);
      normalize(o, 1);
      Bound(o, n, clip());
      gate_.Apply(o, n);
    }
    std::memcpy(g, c, static_cast<size_t>(n) * sizeof(float));
    output_.Apply(g, n);
    for (int64_t j = 0; j < n; ++j) hidden[j] = o[j] * g[j];
  }

  void UpdateCells(const float* i, const float* f, const float* g,
                   float* c) const {
    const int64_t n = shape().hidden;
    if (attrs_.input_forget) {
      for (int64_t j = 0; j < n; ++j) c[j] = (1 - i[j]) * c[j] + i[j] * g[j];
    } else {
      for (int64_t j = 0; j < n; ++j) c[j] = f[j] * c[j] + i[j] * g[j];
    }
    Bound(c, n, attrs_.cell_clip);
  }

  void Project(const RecurrentStep& s) const {
    const int64_t n = shape().hidden, width = shape().outputs;
    float* projected = s.work + s.rows * n;
    projection().Multiply(
        s.projection, s.direction, 0,
        {s.rows, s.work, n, OfDirection(s, kLstmProjectionBias, width), nullptr,
         projected, width},
        s.threads);
    for (int64_t i = 0; i < s.rows; ++i) {
      if (!s.IsActive(i)) continue;
      float* h = s.h + i * width;
      std::memcpy(h, projected + i * width,
                  static_cast<size_t>(width) * sizeof(float));
      Bound(h, width, attrs_.projection_clip);
    }
  }

  RecurrentActivator gate_, cell_, output_;
  LstmAttrs attrs_;
  bool projects_ = false;
};

}  // namespace

CpuKernelDefs Lstm() { return {{DataType::kF32, LstmKernel::Create}}; }

}  // namespace mace::cpu
