// The loops that dequantize rows of weights, for all instruction sets.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__{scalar,avx2,avx512,neon}.cc, which define the functions of
// dequantize_rows_q8.h by Dequantize8Bits and Dequantize4Bits.
#ifndef MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_LOOP_H_
#define MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_LOOP_H_

#include "mace/cpu/simd/int8.h"
#include "mace/cpu/ukernels/quantize_q8/dequantize_rows_q8.h"

namespace mace::cpu {
namespace {

// Stores sixteen elements, each times scale.
inline void StoreScaled(const simd::Int8& quantized, simd::F32 scale,
                        float* to) {
  simd::F32 floats[simd::kInt8Vectors];
  simd::ToFloats(quantized, floats);
#pragma GCC unroll 16
  for (size_t v = 0; v < simd::kInt8Vectors; ++v) {
    simd::Store(to + v * simd::kLanes, scale * floats[v]);
  }
}

// Dequantizes vectors of sixteen elements, then one by one: `to` ends with the
// row.
inline void Dequantize8Bits(const DequantizeRowsQ8Args& t) {
  using namespace simd;
  const F32 scale = Set1(t.scales[0]);
  size_t i = 0;
  for (; i + kInt8Lanes <= t.n; i += kInt8Lanes) {
    StoreScaled(LoadInt8(t.quantized + i), scale, t.to + i);
  }
  for (; i < t.n; ++i) {
    t.to[i] =
        t.scales[0] * static_cast<float>(static_cast<int8_t>(t.quantized[i]));
  }
}

// Writes 32 elements from 16 bytes: those of the low halves of bytes come
// first.
inline void DequantizeBlock(const uint8_t* quantized, float scale, float* to) {
  using namespace simd;
  const Int8 pairs = LoadInt8(quantized);
  StoreScaled(LowHalves(pairs), Set1(scale), to);
  StoreScaled(HighHalves(pairs), Set1(scale), to + kInt8Lanes);
}

inline void Dequantize4Bits(const DequantizeRowsQ8Args& t) {
  constexpr size_t kBlock = 32;
  const size_t whole = t.n / kBlock;
  for (size_t b = 0; b < whole; ++b) {
    DequantizeBlock(t.quantized + b * 16, t.scales[b], t.to + b * kBlock);
  }
  const size_t left = t.n % kBlock;
  if (left == 0) return;
  // Receives the last block, of which `left` elements are copied.
  float last[kBlock];
  DequantizeBlock(t.quantized + whole * 16, t.scales[whole], last);
  for (size_t i = 0; i < left; ++i) t.to[whole * kBlock + i] = last[i];
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_QUANTIZE_Q8_DEQUANTIZE_ROWS_Q8_LOOP_H_
