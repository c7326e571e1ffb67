// The activation that a CPU kernel applies to its result.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_ACTIVATION_H_
#define MACE_CPU_COMMON_ACTIVATION_H_

#include "mace/cpu/ukernels/activate/activate_f32_table.h"
#include "mace/ops/common/activation_attrs.h"

namespace mace {

// Klambauer et al., Self-Normalizing Neural Networks (2017), section 2.
inline constexpr double kSeluAlpha = 1.6732632423543772;
inline constexpr double kSeluScale = 1.0507009873554805;
// Hendrycks and Gimpel, Gaussian Error Linear Units (2016), section 2. With
// these x (1 + tanh(...)) / 2 is x / (1 + exp(-x (kGeluSlope + kGeluBend
// x^2))).
inline constexpr double kGeluSlope = 1.5957691216057308;  // 2 sqrt(2 / pi)
inline constexpr double kGeluBend = kGeluSlope * 0.044715;

// The attributes of an activation. Its name is checked, the ranges of its
// parameters are not.
struct ActivationFunction {
  ActivationKind kind = ActivationKind::kNoop;
  float limit = 0;        // RELUX
  float coefficient = 0;  // LEAKYRELU, ELU, HARDSIGMOID, SWISH
  float beta = 0;         // HARDSIGMOID

  // Returns whether it is NOOP, RELU or RELUX: min(max(x, lower()), upper()),
  // where NaN stays NaN.
  bool is_clamp() const;
  float lower() const;  // of a clamp, else -infinity
  float upper() const;  // of a clamp, else infinity
};

// Reads the attributes of a node; a SWISH whose coefficient is 0, the default,
// gets 1. Errors: as ParseActivation.
Result<ActivationFunction> ResolveActivation(const Node& node,
                                             const ActivationAttrs& attrs);

// Computes the activation by its definition, for the reference kernels.
double ReferenceActivation(const ActivationFunction& activation, double x);

// Applies an activation with the best micro-kernel of the CPU. A library
// without the kernels `activations` has those of clamps, and computes the
// others by their definitions. Immutable after construction: threads may apply
// it at once.
class Activator {
 public:
  // Applies nothing: y is left as it is. REQUIRES: Apply gets y == x.
  Activator() = default;
  Activator(const ActivationFunction& activation, CpuFeatures features);

  // Names the micro-kernel: "scalar" if this library has none for the
  // activation, "none" for a default-constructed object.
  const char* variant() const { return name_; }

  // y = activation(x) for n floats. y may be x.
  void Apply(const float* x, int64_t n, float* y) const;
  // The same for n fp16 values, computed in float and rounded once. y may be x.
  void Apply(const uint16_t* x, int64_t n, uint16_t* y) const;

 private:
  // Sets the function of an activation that is no clamp. Defined in
  // activations.cc, or in absent_activations.cc for a library without them.
  void Choose(const ActivationFunction& activation, CpuFeatures features);

  const char* name_ = "none";
  // Null: Apply does nothing, or computes `defined_`.
  cpu::ActivateF32Fn* fn_ = nullptr;
  // The parameters of fn_; their meaning depends on the function, as with the
  // bounds of a clamp.
  float a_ = 0, b_ = 0;
  ActivationFunction defined_;  // if there is no `fn_`: to be computed by its
                                // definition
};

}  // namespace mace

#endif  // MACE_CPU_COMMON_ACTIVATION_H_
