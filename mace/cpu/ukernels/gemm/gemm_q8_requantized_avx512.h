// Requantizes whole tiles of 32 columns on AVX-512, from sums in registers.
// SPDX-License-Identifier: Apache-2.0
//
// Two rows are stored at a time, since they fill a vector of bytes:
//
//   row 0: [16 int32][16 int32] - Scale, packs -> [32 int16]+
//                                                           + Pack -> 64 bytes
//   row 1: [16 int32][16 int32] - Scale, packs -> [32 int16]+
//
// `Product` multiplies the tiles of a GemmRequantized: Run(tiles, to_quantized)
// calls to_quantized.StoreRows for each two rows.
// mace/cpu/simd/fixed_point_avx512.h has the arithmetic.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_REQUANTIZED_AVX512_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_REQUANTIZED_AVX512_H_

#include "mace/cpu/simd/fixed_point_avx512.h"
#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

// Requantizes the sums of 32 columns. Factors, of 16 columns each, are
// AnyFactors or the faster RightFactors. kSigned: values saturate as int8, else
// as uint8. kClamps: the range is narrower than that of the type.
template <typename Factors, bool kSigned, bool kClamps>
struct Requantizer {
  Factors a, b;
  simd::Saturated<kSigned, kClamps> quantized;

  // Returns 32 values of a row in 16 bits, in the interleaved order of packs,
  // which Saturated::Pack undoes.
  __m512i Row(const __m512i (&sums)[2]) const {
    return _mm512_packs_epi32(a.Scale(sums[0]), b.Scale(sums[1]));
  }
  // Writes two rows of 32 values, y_stride bytes apart. first[0] and second[0]
  // are the sums of columns 0 to 15, first[1] and second[1] of 16 to 31.
  void StoreRows(const __m512i (&first)[2], const __m512i (&second)[2],
                 uint8_t* y, ptrdiff_t y_stride) const {
    const __m512i both = quantized.Pack(Row(first), Row(second));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y),
                        _mm512_castsi512_si256(both));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + y_stride),
                        _mm512_extracti64x4_epi64(both, 1));
  }
};

// Chooses the factors, for all 32 columns.
template <typename Product, bool kSigned, bool kClamps>
void MultiplyRequantized(const GemmRequantized& t) {
  const simd::FixedFactors f = {t.mantissa, t.left, t.right, t.zero_point};
  if (simd::AreRight(f, t.least, 0)) {
    return Product::Run(t, Requantizer<simd::RightFactors, kSigned, kClamps>{
                               {f, 0}, {f, 16}, {t.least, t.most}});
  }
  Product::Run(t, Requantizer<simd::AnyFactors<true>, kSigned, kClamps>{
                      {f, 0}, {f, 16}, {t.least, t.most}});
}

// Calls Product::Run(t, to_quantized) with the Requantizer that takes the
// fewest instructions: the body of a GemmRequantizedFn. A range within [0, 127]
// is treated as int8 even if y is uint8: the bytes are the same.
template <typename Product>
void MultiplyRequantized(const GemmRequantized& t) {
  if (t.least < 0 || t.most < 128) {
    if (t.least == -128 && t.most == 127) {
      return MultiplyRequantized<Product, true, false>(t);
    }
    return MultiplyRequantized<Product, true, true>(t);
  }
  if (t.least == 0 && t.most == 255) {
    return MultiplyRequantized<Product, false, false>(t);
  }
  MultiplyRequantized<Product, false, true>(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_REQUANTIZED_AVX512_H_
