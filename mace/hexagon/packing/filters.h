// Filters and their output stages in the order in which the DSP reads them.
// SPDX-License-Identifier: Apache-2.0
//
// Runs on the host, once for each node. protocol/ops.h draws the layouts
// (kConv, kDepthwise).
#ifndef MACE_HEXAGON_PACKING_FILTERS_H_
#define MACE_HEXAGON_PACKING_FILTERS_H_

#include <cstdint>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/hexagon/protocol/ops.h"

namespace mace::hexagon {

// A filter of 8-bit quantized values, int8 or uint8. Element (output o, input
// i, tap t) is at o * output_stride + i * input_stride + t * tap_stride; taps
// are counted row by row. A view: `data` is not owned.
struct QuantizedFilter {
  const void* data = nullptr;
  bool is_signed = true;
  int32_t zero_point = 0;
  int64_t outputs = 0;  // of all groups
  int64_t inputs = 0;   // of one group
  int64_t taps = 1;
  int64_t output_stride = 0, input_stride = 0, tap_stride = 0;

  // The quantized value less the zero point: -255 to 255. Indices are not
  // checked.
  int32_t at(int64_t o, int64_t i, int64_t t) const;
};

// How the sums of a filter's products become quantized values: (bias + sum of
// (x - x_zero_point) * w) * factor. A factor is scale of x * scale of w / scale
// of y, and `bias` has the scale of x * w. `bias` is not owned.
struct Scaling {
  std::vector<FixedParams> factors;  // one, or one for each output
  const int32_t* bias = nullptr;     // null, or one for each output
  int32_t x_zero_point = 0;

  const FixedParams& factor(int64_t o) const {
    return factors[factors.size() == 1 ? 0 : o];
  }
};

// What PackFilter and PackDepthwise make; both buffers become constants of the
// DSP's graph.
struct PackedFilter {
  AlignedBuffer filter;
  AlignedBuffer stage;
  // Some factor is 1/2 or more (exponent >= 0), so that the faster kernels do
  // not apply.
  bool has_left_shifts = false;
  int32_t filter_offset = 0;  // of convolutions
  int32_t passes = 1;         // of depthwise convolutions
};

// The nearest fixed-point factor: 0, or a mantissa of 2^30 to 2^31 - 1 with
// `exponent` such that real = mantissa * 2^(exponent - 31). REQUIRES: real >= 0
// and finite. Factors below 2^-32 become 0: times any sum they are below 1/2.
// The exponent of large ones is not limited: see AreInRange. Source: TFLite's
// QuantizeMultiplier.
FixedParams ToFixed(double real);

// Whether the DSP takes all of the factors: exponents of -31 to `most`. `most`
// is 31, or 16 for nodes that round once (ScaleOnce).
bool AreInRange(const std::vector<FixedParams>& factors, int most = 31);

// For kConv: `groups` groups of w.outputs / groups outputs each. Filter bytes
// are w + filter_offset as uint8; outputs and inputs that fill up blocks have
// the weight 0. REQUIRES: w.outputs is a multiple of `groups`; the factors are
// in range. Errors: MACE_OUT_OF_RESOURCES.
Result<PackedFilter> PackFilter(const QuantizedFilter& w, int64_t groups,
                                const Scaling& scaling);

// For kDepthwise: output o reads channel o only. REQUIRES: w.inputs is 1, and
// w.taps is rows * columns. Filter bytes are int8; `passes` is 2 if a value
// less the zero point does not fit, as it may be for uint8. Errors: as
// PackFilter.
Result<PackedFilter> PackDepthwise(const QuantizedFilter& w, int64_t rows,
                                   int64_t columns, const Scaling& scaling);

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PACKING_FILTERS_H_
