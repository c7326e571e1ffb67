// What kernels of quantized tensors share: ranges of quantized values and
// output stages.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_QUANTIZATION_H_
#define MACE_CPU_QUANTIZED_QUANTIZATION_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/cpu/quantized/fixed_point.h"
#include "mace/graph/node.h"
#include "mace/ops/common/activation_attrs.h"

namespace mace::cpu {

// The smallest and the largest value of an output, limited by its type and its
// activation.
struct QuantizedRange {
  int32_t least = 0;
  int32_t most = 0;

  int32_t Clamp(int32_t q) const { return std::min(std::max(q, least), most); }
};

// Returns the range of a type. REQUIRES: i8, u8, i16 or i32.
QuantizedRange RangeOf(DataType type);

// Returns the values that `activation` leaves to an output of `type`: a clamp
// of real numbers is a clamp of their quantized values. With a negative
// max_limit, `most` is below `least`, and Clamp returns it. REQUIRES: `type`
// has quantization parameters. Errors: MACE_UNSUPPORTED for activations other
// than NOOP, RELU and RELUX; MACE_INVALID_MODEL for an unknown name.
Result<QuantizedRange> RangeAfter(const Node& node,
                                  const ActivationAttrs& activation,
                                  const TensorType& type);

// Returns the value in `range` that is nearest to real / scale + zero_point.
// Ties of real / scale are rounded away from zero; NaN becomes range.least.
int32_t QuantizeFloat(float real, const Quantization& quantization,
                      QuantizedRange range);

// The same for `units`, a number that has been divided by the scale.
int32_t QuantizeUnits(float units, int32_t zero_point, QuantizedRange range);

// How a node with a filter requantizes its sums of products to its output.
struct OutputStage {
  std::vector<FixedFactor> factors;  // one, or one for each channel
  // Empty, or as many: then sums are scaled by these instead, in double
  // precision, and rounded once, ties away from zero.
  std::vector<double> multipliers;
  int32_t zero_point = 0;
  QuantizedRange range;

  // The factor of a channel: per-tensor quantization has one for all.
  FixedFactor factor(int64_t channel) const {
    return factors[factors.size() == 1 ? 0 : channel];
  }
  double multiplier(int64_t channel) const {
    return multipliers[multipliers.size() == 1 ? 0 : channel];
  }
  // Requantizes the sum of a channel by its fixed-point factor, which rounds
  // twice; `multipliers` are ignored.
  int32_t operator()(int32_t sum, int64_t channel) const {
    return range.Clamp(Scale(sum, factor(channel)) + zero_point);
  }
};

// Returns the output stage of a node (x, w, b), with empty multipliers. The
// factors, the scales x * w / y, are computed in double precision; but x * w in
// single precision if x is u8. Errors: as RangeAfter.
Result<OutputStage> MakeOutputStage(const Node& node,
                                    const ActivationAttrs& activation);

// Returns the scales x * w / y in double precision, for
// OutputStage::multipliers: one, or one for each channel.
std::vector<double> DoubleFactors(const Node& node);

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_QUANTIZATION_H_
