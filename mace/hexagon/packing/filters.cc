// Packing filters for the DSP.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/packing/filters.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace mace::hexagon {
namespace {

constexpr int64_t kLanes = 32;
// First sums, mantissas and exponents of 32 outputs.
constexpr int64_t kStageWords = 3 * kLanes;

// The quantized value in an unsigned filter that stands for 0.
int32_t UnsignedZero(const QuantizedFilter& w) {
  return w.zero_point + (w.is_signed ? 128 : 0);
}

void WriteStage(const Scaling& scaling, int64_t output, int64_t lane,
                int32_t sum_of_filter, int32_t* stage, bool* has_left_shifts) {
  const FixedParams factor = scaling.factor(output);
  const uint32_t bias =
      scaling.bias == nullptr ? 0 : static_cast<uint32_t>(scaling.bias[output]);
  const uint32_t zero = static_cast<uint32_t>(scaling.x_zero_point);
  stage[lane] =
      static_cast<int32_t>(bias - zero * static_cast<uint32_t>(sum_of_filter));
  stage[kLanes + lane] = factor.mantissa;
  stage[2 * kLanes + lane] = factor.mantissa == 0 ? -1 : factor.exponent;
  if (factor.mantissa != 0 && factor.exponent >= 0) *has_left_shifts = true;
}

Result<PackedFilter> Allocate(size_t filter_bytes, int64_t blocks) {
  PackedFilter packed;
  MACE_ASSIGN_OR_RETURN(packed.filter,
                        AlignedBuffer::Create(filter_bytes, "a filter"));
  MACE_ASSIGN_OR_RETURN(
      packed.stage,
      AlignedBuffer::Create(static_cast<size_t>(blocks * kStageWords * 4),
                            "an output stage"));
  std::memset(packed.filter.data(), 0, packed.filter.size());
  auto* stage = static_cast<int32_t*>(packed.stage.data());
  for (int64_t i = 0; i < blocks * kStageWords; ++i) {
    stage[i] = i % kStageWords < 2 * kLanes ? 0 : -1;
  }
  return packed;
}

}  // namespace

int32_t QuantizedFilter::at(int64_t o, int64_t i, int64_t t) const {
  const int64_t place = o * output_stride + i * input_stride + t * tap_stride;
  const uint8_t byte = static_cast<const uint8_t*>(data)[place];
  return (is_signed ? static_cast<int8_t>(byte) : byte) - zero_point;
}

FixedParams ToFixed(double real) {
  if (real == 0) return {0, 0};
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  int64_t mantissa = std::llround(fraction * 2147483648.0);
  if (mantissa == int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {0, 0};
  return {static_cast<int32_t>(mantissa), exponent};
}

bool AreInRange(const std::vector<FixedParams>& factors, int most) {
  return std::all_of(factors.begin(), factors.end(),
                     [most](const FixedParams& f) {
                       return f.exponent >= -31 && f.exponent <= most;
                     });
}

Result<PackedFilter> PackFilter(const QuantizedFilter& w, int64_t groups,
                                const Scaling& scaling) {
  const int64_t per_group = w.outputs / groups;
  const int64_t blocks = AlignUp(per_group, kLanes) / kLanes;
  const int64_t depth = AlignUp(w.taps * w.inputs, 8);
  MACE_ASSIGN_OR_RETURN(
      PackedFilter packed,
      Allocate(static_cast<size_t>(groups * blocks * kLanes * depth),
               groups * blocks));
  packed.filter_offset = UnsignedZero(w);
  std::memset(packed.filter.data(), packed.filter_offset, packed.filter.size());
  auto* values = static_cast<uint8_t*>(packed.filter.data());
  auto* stage = static_cast<int32_t*>(packed.stage.data());
  for (int64_t o = 0; o < w.outputs; ++o) {
    const int64_t of_group = o % per_group, lane = of_group % kLanes;
    const int64_t block = o / per_group * blocks + of_group / kLanes;
    uint8_t* to = values + block * kLanes * depth;
    int32_t sum = 0;
    for (int64_t t = 0, k = 0; t < w.taps; ++t) {
      for (int64_t i = 0; i < w.inputs; ++i, ++k) {
        const int32_t value = w.at(o, i, t);
        sum += value;
        to[k / 4 * 128 + lane * 4 + k % 4] =
            static_cast<uint8_t>(value + packed.filter_offset);
      }
    }
    WriteStage(scaling, o, lane, sum, stage + block * kStageWords,
               &packed.has_left_shifts);
  }
  return packed;
}

Result<PackedFilter> PackDepthwise(const QuantizedFilter& w, int64_t rows,
                                   int64_t columns, const Scaling& scaling) {
  const int64_t blocks = AlignUp(w.outputs, 128) / 128;
  const int64_t row_groups = AlignUp(rows, 4) / 4;
  // Quantized values of 9 bits, less their zero point, are the sum of two.
  int32_t passes = 1;
  for (int64_t o = 0; o < w.outputs; ++o) {
    for (int64_t t = 0; t < w.taps; ++t) {
      const int32_t value = w.at(o, 0, t);
      if (value < -128 || value > 127) passes = 2;
    }
  }
  const int64_t of_block = columns * row_groups * passes * 512;
  MACE_ASSIGN_OR_RETURN(
      PackedFilter packed,
      Allocate(static_cast<size_t>(blocks * of_block), blocks * 4));
  packed.passes = passes;
  auto* values = static_cast<uint8_t*>(packed.filter.data());
  auto* stage = static_cast<int32_t*>(packed.stage.data());
  // Few channels repeat, for vectors that hold several pixels.
  const bool repeats = w.outputs < 128 && 128 % w.outputs == 0;
  for (int64_t n = 0; n < (repeats ? 128 : w.outputs); ++n) {
    const int64_t o = n % w.outputs, channel = n % 128;
    int32_t sum = 0;
    for (int64_t t = 0; t < w.taps; ++t) {
      const int64_t row = t / columns, column = t % columns;
      const int32_t value = w.at(o, 0, t);
      sum += value;
      uint8_t* to = values + n / 128 * of_block +
                    (column * row_groups + row / 4) * passes * 512 +
                    channel * 4 + row % 4;
      const int32_t first = std::min(std::max(value, -128), 127);
      to[0] = static_cast<uint8_t>(first);
      if (passes == 2) to[512] = static_cast<uint8_t>(value - first);
    }
    WriteStage(scaling, o, channel % kLanes, sum,
               stage + n / kLanes * kStageWords, &packed.has_left_shifts);
  }
  return packed;
}

}  // namespace mace::hexagon
