// Quantization: how integers represent real numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_QUANTIZATION_H_
#define MACE_GRAPH_QUANTIZATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mace {

// real = scale * (value - zero_point), with one scale and zero point for the
// whole tensor, or one of each for every index of `axis`.
struct Quantization {
  std::vector<float> scales;         // finite and above 0; at least one
  std::vector<int32_t> zero_points;  // as many as scales; values of the type
  int axis = -1;                     // -1: one scale for the whole tensor

  bool is_per_axis() const { return axis >= 0; }
  float scale() const { return scales[0]; }
  int32_t zero_point() const { return zero_points[0]; }

  bool operator==(const Quantization& o) const {
    return scales == o.scales && zero_points == o.zero_points && axis == o.axis;
  }
};

// Shared by all descriptions of a tensor; null: the tensor is not quantized.
using QuantizationPtr = std::shared_ptr<const Quantization>;

// Returns whether both are null or equal.
bool AreEqual(const QuantizationPtr& a, const QuantizationPtr& b);

// Returns the quantized value in [least, most] that is nearest to `units` +
// `zero_point`, ties of `units` away from zero. Infinity saturates; NaN is
// `least`.
int32_t NearestQuantized(float units, int32_t zero_point, int32_t least,
                         int32_t most);

// " (scale 0.05, zero point 3)" or " (24 scales along axis 0)"; empty for null.
std::string ToString(const QuantizationPtr& quantization);

}  // namespace mace

#endif  // MACE_GRAPH_QUANTIZATION_H_
