// The reference of the DSP's tests.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/testing/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mace::hexagon::testing {
namespace {

struct Position {
  int64_t row, column;
  bool inside;
};

Position At(const WindowParams& h, const WindowParams& w, int64_t p, int64_t q,
            int64_t tap_row, int64_t tap_column) {
  const int64_t row = p * h.stride - h.pad + tap_row * h.dilation;
  const int64_t column = q * w.stride - w.pad + tap_column * w.dilation;
  return {row, column, row >= 0 && row < h.in && column >= 0 && column < w.in};
}

// As if products had any number of bits.
int64_t ScaleOnce(int32_t x, FixedParams factor) {
  const double real = std::ldexp(factor.mantissa, factor.exponent - 31);
  return std::llround(std::clamp(x * real, -1e9, 1e9));
}

uint8_t FromSum(int64_t sum, int64_t output, const Scaling& scaling,
                const OutputRange& y, bool rounds_once = false) {
  if (scaling.bias != nullptr) sum += scaling.bias[output];
  const auto x = static_cast<int32_t>(sum);
  const FixedParams& factor = scaling.factor(output);
  const int64_t scaled =
      rounds_once ? ScaleOnce(x, factor) : ScaleTwice(x, factor);
  return ToByte(scaled + y.zero_point, y);
}

}  // namespace

int32_t ScaleTwice(int32_t x, FixedParams factor) {
  const int left = std::max(factor.exponent, 0);
  const int right = std::max(-factor.exponent, 0);
  const auto shifted =
      static_cast<int32_t>(left > 31 ? 0 : static_cast<uint32_t>(x) << left);
  // To the nearest, ties up.
  const auto high = static_cast<int32_t>(
      (int64_t{shifted} * factor.mantissa + (int64_t{1} << 30)) >> 31);
  if (right == 0) return high;
  // To the nearest, ties away from zero.
  const int64_t size = std::llabs(high);
  const int64_t rounded = (size + (int64_t{1} << (right - 1))) >> right;
  return static_cast<int32_t>(high < 0 ? -rounded : rounded);
}

uint8_t ToByte(int64_t value, const OutputRange& y) {
  return static_cast<uint8_t>(
      std::min<int64_t>(std::max<int64_t>(value, y.least), y.most));
}

int32_t ValueAt(const Bytes& x, size_t i, int32_t is_signed) {
  return is_signed != 0 ? static_cast<int8_t>(x[i]) : x[i];
}

Bytes ReferenceConv(const ConvParams& p, const Bytes& x,
                    const QuantizedFilter& w, const Scaling& scaling) {
  Bytes y;
  const int64_t channels = int64_t{p.groups} * p.in_per_group;
  const int64_t outputs = int64_t{p.groups} * p.out_per_group;
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t r = 0; r < p.h.out; ++r) {
      for (int64_t c = 0; c < p.w.out; ++c) {
        for (int64_t o = 0; o < outputs; ++o) {
          int64_t sum = 0;
          const int64_t first = o / p.out_per_group * p.in_per_group;
          for (int64_t t = 0; t < w.taps; ++t) {
            const Position at =
                At(p.h, p.w, r, c, t / p.w.kernel, t % p.w.kernel);
            if (!at.inside) continue;
            const int64_t pixel =
                ((n * p.h.in + at.row) * p.w.in + at.column) * channels + first;
            for (int64_t i = 0; i < p.in_per_group; ++i) {
              sum +=
                  int64_t{ValueAt(x, pixel + i, p.is_signed) - p.x_zero_point} *
                  w.at(o, i, t);
            }
          }
          y.push_back(FromSum(sum, o, scaling, p.y, p.rounds_once != 0));
        }
      }
    }
  }
  return y;
}

Bytes ReferenceDepthwise(const DepthwiseParams& p, const Bytes& x,
                         const QuantizedFilter& w, const Scaling& scaling) {
  ConvParams conv = {};
  conv.batch = p.batch;
  conv.h = p.h;
  conv.w = p.w;
  conv.groups = p.channels;
  conv.in_per_group = conv.out_per_group = 1;
  conv.x_zero_point = p.x_zero_point;
  conv.is_signed = p.is_signed;
  conv.y = p.y;
  return ReferenceConv(conv, x, w, scaling);
}

Bytes ReferencePool(const PoolParams& p, const Bytes& x) {
  Bytes y;
  const OutputRange range = {0, p.least, p.most};
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t r = 0; r < p.h.out; ++r) {
      for (int64_t c = 0; c < p.w.out; ++c) {
        for (int64_t k = 0; k < p.channels; ++k) {
          int64_t sum = 0, count = 0, most = p.is_signed != 0 ? -128 : 0;
          for (int64_t t = 0; t < int64_t{p.h.kernel} * p.w.kernel; ++t) {
            const Position at =
                At(p.h, p.w, r, c, t / p.w.kernel, t % p.w.kernel);
            if (!at.inside) continue;
            const int64_t pixel = (n * p.h.in + at.row) * p.w.in + at.column;
            const int64_t value =
                ValueAt(x, pixel * p.channels + k, p.is_signed);
            sum += value;
            most = std::max(most, value);
            ++count;
          }
          count = std::max<int64_t>(count, 1);
          const double mean =
              static_cast<double>(sum) / static_cast<double>(count);
          y.push_back(ToByte(p.is_max != 0 ? most : std::llround(mean), range));
        }
      }
    }
  }
  return y;
}

// Of two quantized values without their zero points.
int32_t Combined(const BinaryParams& p, int32_t s, int32_t t) {
  if (p.kind == kMul) return ScaleTwice(s * t, p.scale);
  if (p.kind == kPRelu) {
    return s < 0 ? ScaleTwice(s * t, p.scale) : ScaleTwice(s, p.a);
  }
  const int32_t unit = p.kind == kSqrDiff ? 1 << 7 : 1 << 20;
  const int32_t left = ScaleTwice(s * unit, p.a);
  const int32_t right = ScaleTwice(t * unit, p.b);
  if (p.kind == kSqrDiff) {
    return ScaleTwice((left - right) * (left - right), p.scale);
  }
  return ScaleTwice(p.kind == kAdd ? left + right : left - right, p.scale);
}

Bytes ReferenceBinary(const BinaryParams& p, const Bytes& a, const Bytes& b) {
  Bytes y;
  int64_t i[4];
  for (i[0] = 0; i[0] < p.extents[0]; ++i[0]) {
    for (i[1] = 0; i[1] < p.extents[1]; ++i[1]) {
      for (i[2] = 0; i[2] < p.extents[2]; ++i[2]) {
        for (i[3] = 0; i[3] < p.extents[3]; ++i[3]) {
          int64_t at_a = 0, at_b = 0;
          for (int k = 0; k < 4; ++k) {
            at_a += i[k] * p.a_strides[k];
            at_b += i[k] * p.b_strides[k];
          }
          const int32_t u = ValueAt(a, at_a, p.is_signed);
          const int32_t v = ValueAt(b, at_b, p.is_signed);
          const int32_t s = u - p.a_zero_point, t = v - p.b_zero_point;
          if (p.kind == kMin || p.kind == kMax) {
            y.push_back(
                ToByte(p.kind == kMin ? std::min(u, v) : std::max(u, v), p.y));
            continue;
          }
          const int32_t scaled = Combined(p, s, t);
          y.push_back(ToByte(int64_t{scaled} + p.y.zero_point, p.y));
        }
      }
    }
  }
  return y;
}

Bytes ReferenceReduce(const ReduceParams& p, const Bytes& x) {
  Bytes y;
  for (int64_t o = 0; o < p.outer; ++o) {
    for (int64_t k = 0; k < p.inner; ++k) {
      int32_t sum = -p.bias;
      for (int64_t i = 0; i < p.n; ++i) {
        sum += ValueAt(x, (o * p.n + i) * p.inner + k, p.is_signed);
      }
      y.push_back(
          ToByte(int64_t{ScaleTwice(sum, p.scale)} + p.y.zero_point, p.y));
    }
  }
  return y;
}

}  // namespace mace::hexagon::testing
