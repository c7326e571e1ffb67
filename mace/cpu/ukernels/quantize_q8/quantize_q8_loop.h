// The loops that quantize and dequantize, for all instruction sets.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__{scalar,avx2,neon}.cc, which define the functions of
// quantize_q8.h by QuantizeAll and DequantizeAll; and by
// quantize_q8__avx512.cc, which calls QuantizeAll for scales so small or large
// that it cannot multiply by their reciprocals, and DequantizeAll always. That
// file and quantize_q8__aarch64.cc quantize faster, to the same values.
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_LOOP_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_LOOP_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8.h"

namespace mace::cpu {
namespace {

// Compilers' vectors: they do not vectorize the choices between two values here
// by themselves. Plain C++ takes four elements at a time, too.
constexpr size_t kWidth = simd::kLanes == 1 ? 4 : simd::kLanes;
using Floats = float __attribute__((vector_size(4 * kWidth)));
using Ints = int32_t __attribute__((vector_size(4 * kWidth)));

// x / scale is limited to [-kMaxUnits, kMaxUnits]. Plus any zero point, these
// limits are outside the range of quantized values, so that larger quotients
// become the ends of the range as they should. Within them, the conversion to
// integers is defined, and rounding by adding kShift is exact.
constexpr float kMaxUnits = 1 << 17;

// Returns the nearest integers of numbers up to kMaxUnits in magnitude. For
// ties away from zero, cuts fractions off and corrects integers whose fraction
// was half or more; the difference is exact.
template <bool kTiesToEven>
inline Ints Nearest(Floats units) {
  if (kTiesToEven) {
    // Adding 1.5 * 2^23 leaves no bits for fractions.
    constexpr float kShift = 12582912.0f;
    return __builtin_convertvector((units + kShift) - kShift, Ints);
  }
  const Ints whole = __builtin_convertvector(units, Ints);  // toward zero
  const Floats rest = units - __builtin_convertvector(whole, Floats);
  return whole - (rest >= 0.5f) + (rest <= -0.5f);  // true is -1
}

// Quantizes kWidth numbers from x on to `quantized`, as integers of 32 bits.
// Neither needs any alignment.
template <bool kTiesToEven>
inline void QuantizeVector(const QuantizeQ8Args& t, const float* x,
                           int32_t* quantized) {
  Floats numbers;
  __builtin_memcpy(&numbers, x, sizeof(numbers));
  // A number minus a vector of zeros has the number in each element.
  const Floats most = kMaxUnits - Floats{};
  Floats units = numbers / t.scale;
  units = units > -most ? units : -most;  // NaN, too
  units = units < most ? units : most;
  const Ints first = t.least - Ints{}, last = t.most - Ints{};
  Ints value = Nearest<kTiesToEven>(units) + t.zero_point;
  value = value > first ? value : first;
  value = value < last ? value : last;
  __builtin_memcpy(quantized, &value, sizeof(value));
}

// Quantizes blocks whose integers of 32 bits stay in the L1 cache. The second
// loop narrows them to bytes; without __restrict, the compiler would assume
// that bytes alias the integers. The numbers behind the last whole vector are
// copied first, so that nothing behind the end is read; `quantized` holds whole
// vectors, since kBlock is a multiple of kWidth.
template <bool kTiesToEven>
inline void Quantize(const QuantizeQ8Args& t) {
  constexpr size_t kBlock = 128;
  int32_t quantized[kBlock];
  for (size_t begin = 0; begin < t.n; begin += kBlock) {
    const size_t count = t.n - begin < kBlock ? t.n - begin : kBlock;
    const float* x = t.x + begin;
    size_t i = 0;
    for (; i + kWidth <= count; i += kWidth) {
      QuantizeVector<kTiesToEven>(t, x + i, quantized + i);
    }
    if (i < count) {
      float last[kWidth] = {0};
      for (size_t k = i; k < count; ++k) last[k - i] = x[k];
      QuantizeVector<kTiesToEven>(t, last, quantized + i);
    }
    uint8_t* __restrict to = t.quantized + begin;
    for (size_t k = 0; k < count; ++k)
      to[k] = static_cast<uint8_t>(quantized[k]);
  }
}

// T: int8_t or uint8_t. Compilers vectorize this loop by themselves.
template <typename T>
inline void Dequantize(const DequantizeQ8Args& t) {
  const auto* __restrict quantized = reinterpret_cast<const T*>(t.quantized);
  float* __restrict y = t.y;
  const float scale = t.scale;
  const int32_t zero = t.zero_point;
  for (size_t i = 0; i < t.n; ++i) {
    y[i] = scale * static_cast<float>(quantized[i] - zero);
  }
}

// A QuantizeQ8Fn, and below a DequantizeQ8Fn.
inline void QuantizeAll(const QuantizeQ8Args& t) {
  t.ties_to_even ? Quantize<true>(t) : Quantize<false>(t);
}

inline void DequantizeAll(const DequantizeQ8Args& t) {
  t.is_signed ? Dequantize<int8_t>(t) : Dequantize<uint8_t>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_QUANTIZE_Q8_LOOP_H_
