// Filters and their output stages in the order in which the DSP reads them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PACKING_FILTERS_H_
#define MACE_HEXAGON_PACKING_FILTERS_H_

#include <cstdint>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

// A filter of 8-bit quantized values. Element (output o, input i, tap t) is at
// o * output_stride + i * input_stride + t * tap_stride.
struct QuantizedFilter {
  const void* data = nullptr;
  bool is_signed = true;
  int32_t zero_point = 0;
  int64_t outputs = 0;  // of all groups
  int64_t inputs = 0;   // of one group
  int64_t taps = 1;
  int64_t output_stride = 0, input_stride = 0, tap_stride = 0;

  // The quantized value less the zero point.
  int32_t at(int64_t o, int64_t i, int64_t t) const;
};

// How the sums of a filter's products become quantized values.
struct Scaling {
  std::vector<FixedParams> factors;  // one, or one for each output
  const int32_t* bias = nullptr;     // null, or one for each output
  int32_t x_zero_point = 0;

  const FixedParams& factor(int64_t o) const {
    return factors[factors.size() == 1 ? 0 : o];
  }
};

struct PackedFilter {
  AlignedBuffer filter;
  AlignedBuffer stage;
  bool has_left_shifts = false;
  int32_t filter_offset = 0;  // of convolutions
  int32_t passes = 1;         // of depthwise convolutions
};

// The nearest fixed-point factor. REQUIRES: real >= 0 and finite. Factors below
// 2^-32 become 0.
FixedParams ToFixed(double real);

// Whether the DSP takes all of the factors: exponents of -31 to `most`.
bool AreInRange(const std::vector<FixedParams>& factors, int most = 31);

// For kConv (`groups` groups). Errors:
// MACE_OUT_OF_RESOURCES.
Result<PackedFilter> PackFilter(const QuantizedFilter& w, int64_t groups,
                                const Scaling& scaling);

// For kDepthwise: inputs is 1, and taps are `rows` x `columns`.
Result<PackedFilter> PackDepthwise(const QuantizedFilter& w, int64_t rows,
                                   int64_t columns, const Scaling& scaling);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_FILTERS_H_
