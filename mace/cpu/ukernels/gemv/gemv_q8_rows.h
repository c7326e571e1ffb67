// The implementation of the matrix-vector micro-kernels for quantized values.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__scalar.cc, simd__avx2.cc, simd__avx512.cc and
// simd__neon.cc. Columns are multiplied 16 at a time, as floats: the int8 of a
// 16-byte load, or half of its int4.
//
//            Columns: 16 floats
//   AVX-512  [ v[0]                        ]
//   AVX2     [ v[0]         | v[1]         ]
//   NEON     [ v[0] | v[1]  | v[2] | v[3]  ]     plain C++: 16 of one float
//
// Each row has 16 sums, one for each column modulo 16. Lanes are added to each
// other only at the end of a row.
#ifndef MACE_CPU_UKERNELS_GEMV_GEMV_Q8_ROWS_H_
#define MACE_CPU_UKERNELS_GEMV_GEMV_Q8_ROWS_H_

#include "mace/cpu/simd/fp16_bits.h"
#include "mace/cpu/simd/int8.h"
#include "mace/cpu/ukernels/gemv/gemv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kColumnsOfScale = 32;  // of int4 values
// Blocks whose scales are converted at a time, so that the array of floats has
// the same size for any k.
constexpr size_t kScales = 16;

// The vectors of 16 columns.
struct Columns {
  simd::F32 v[simd::kInt8Vectors];
};

// Loads 16 floats of x.
inline Columns LoadColumns(const float* x) {
  Columns c;
#pragma GCC unroll 16
  for (size_t i = 0; i < simd::kInt8Vectors; ++i) {
    c.v[i] = simd::Load(x + i * simd::kLanes);
  }
  return c;
}

// Converts 16 values of int8, which floats hold exactly.
inline Columns FloatsOf(const simd::Int8& quantized) {
  Columns c;
  simd::ToFloats(quantized, c.v);
  return c;
}

// *sums += a * b, lane by lane.
inline void AddProducts(const Columns& a, const Columns& b, Columns* sums) {
#pragma GCC unroll 16
  for (size_t i = 0; i < simd::kInt8Vectors; ++i) {
    sums->v[i] = simd::MulAdd(a.v[i], b.v[i], sums->v[i]);
  }
}

inline Columns Zeros() {
  Columns c;
  for (simd::F32& v : c.v) v = simd::Set1(0);
  return c;
}

// Returns the sum of all 16 lanes.
inline float Total(const Columns& c) {
  simd::F32 sum = c.v[0];
  for (size_t i = 1; i < simd::kInt8Vectors; ++i) sum = sum + c.v[i];
  return simd::Sum(sum);
}

// Adds the bias to the product of a row, clamps and stores it. NaN stays NaN,
// as both comparisons are false then.
inline void Finish(const GemvQ8Args& t, size_t row, float y) {
  if (t.bias != nullptr) y += t.bias[row];
  y = y < t.lower ? t.lower : y;
  t.y[row] = y > t.upper ? t.upper : y;
}

inline void ScalesFromFp16(const uint16_t* fp16, size_t n, float* to) {
  for (size_t i = 0; i < n; ++i) to[i] = simd::FloatOfFp16(fp16[i]);
}

// Computes rows [first, first + kRows) of int8, for which x is loaded once.
// Copies the last k % 16 columns, so that nothing behind a row is read.
template <int kRows>
inline void Rows8Bits(const GemvQ8Args& t, size_t first) {
  using namespace simd;
  const uint8_t* quantized = t.quantized + first * t.row_bytes;
  Columns sums[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) sums[r] = Zeros();
  size_t k = 0;
  for (; k + kInt8Lanes <= t.k; k += kInt8Lanes) {
    const Columns x = LoadColumns(t.x + k);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const Int8 row = LoadInt8(quantized + r * t.row_bytes + k);
      AddProducts(x, FloatsOf(row), &sums[r]);
    }
  }
  if (k < t.k) {  // beyond the last column everything is 0
    float last_x[kInt8Lanes] = {0};
    for (size_t i = 0; i < t.k - k; ++i) last_x[i] = t.x[k + i];
    const Columns x = LoadColumns(last_x);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      uint8_t last[kInt8Lanes] = {0};
      for (size_t i = 0; i < t.k - k; ++i) {
        last[i] = quantized[r * t.row_bytes + k + i];
      }
      AddProducts(x, FloatsOf(LoadInt8(last)), &sums[r]);
    }
  }
  const auto* scales = static_cast<const float*>(t.scales) + first;
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    Finish(t, first + r, scales[r] * Total(sums[r]));
  }
}

// Multiplies a block of 32 columns of each row by x, and adds the products,
// times the block's scale, to the row's sums. `quantized` points to the block
// of the first row, `x` to the 32 elements of x that meet the block, and row
// r's scale is scales[r][scale]. The low halves of the 16 bytes are columns 0
// to 15, the high halves 16 to 31.
template <int kRows>
inline void AddBlock(const GemvQ8Args& t, const uint8_t* quantized,
                     const float* x, const float (&scales)[kRows][kScales],
                     size_t scale, Columns* sums) {
  using namespace simd;
  const Columns low = LoadColumns(x), high = LoadColumns(x + kInt8Lanes);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const Int8 pairs = LoadInt8(quantized + r * t.row_bytes);
    Columns products = Zeros();
    AddProducts(low, FloatsOf(LowHalves(pairs)), &products);
    AddProducts(high, FloatsOf(HighHalves(pairs)), &products);
    const F32 factor = Set1(scales[r][scale]);
#pragma GCC unroll 16
    for (size_t i = 0; i < kInt8Vectors; ++i) {
      sums[r].v[i] = MulAdd(factor, products.v[i], sums[r].v[i]);
    }
  }
}

// Computes rows [first, first + kRows) of int4. `last` has the elements of x
// that meet a last block of fewer than 32 columns, then zeros; the block itself
// has all its bytes in memory.
template <int kRows>
inline void Rows4Bits(const GemvQ8Args& t, size_t first) {
  const uint8_t* quantized = t.quantized + first * t.row_bytes;
  const auto* fp16 =
      static_cast<const uint16_t*>(t.scales) + first * t.row_scales;
  Columns sums[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) sums[r] = Zeros();
  const size_t blocks = (t.k + kColumnsOfScale - 1) / kColumnsOfScale;
  float last[kColumnsOfScale] = {0};
  for (size_t i = t.k / kColumnsOfScale * kColumnsOfScale; i < t.k; ++i) {
    last[i % kColumnsOfScale] = t.x[i];
  }
  for (size_t from = 0; from < blocks; from += kScales) {
    const size_t count = blocks - from < kScales ? blocks - from : kScales;
    float scales[kRows][kScales];
    for (int r = 0; r < kRows; ++r) {
      ScalesFromFp16(fp16 + r * t.row_scales + from, count, scales[r]);
    }
    for (size_t b = from; b < from + count; ++b) {
      const bool whole = (b + 1) * kColumnsOfScale <= t.k;
      AddBlock<kRows>(t, quantized + b * (kColumnsOfScale / 2),
                      whole ? t.x + b * kColumnsOfScale : last, scales,
                      b - from, sums);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) Finish(t, first + r, Total(sums[r]));
}

// The bodies of GemvQ8Fn. The last n % 4 rows are computed one by one.
inline void Gemv8Bits(const GemvQ8Args& t) {
  size_t row = 0;
  for (; row + 4 <= t.n; row += 4) Rows8Bits<4>(t, row);
  for (; row < t.n; ++row) Rows8Bits<1>(t, row);
}

inline void Gemv4Bits(const GemvQ8Args& t) {
  size_t row = 0;
  for (; row + 4 <= t.n; row += 4) Rows4Bits<4>(t, row);
  for (; row < t.n; ++row) Rows4Bits<1>(t, row);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMV_GEMV_Q8_ROWS_H_
