// Winograd's F(4x4, 3x3) for quantized values on AVX512-VNNI: 24 of 32
// registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd_q8/winograd_q8_pairs.h"

namespace mace::cpu {
namespace {

struct Avx512Vnni {
  using Type = __m512i;
  static Type Zero() { return _mm512_setzero_si512(); }
  static Type Load(const int16_t* p) { return _mm512_loadu_si512(p); }
  static Type Pair(const int16_t* p) {
    return _mm512_set1_epi32(*reinterpret_cast<const int32_t*>(p));
  }
  static Type Add(Type sum, Type a, Type b) {
    return _mm512_dpwssd_epi32(sum, a, b);
  }
  static void Store(int32_t* p, Type x) { _mm512_store_si512(p, x); }
};

// Rows beyond those wanted cost less than the code of more functions.
void Multiply(const WinogradQ8Gemm& t) {
  if (t.m > 8) return MultiplyPairs<Avx512Vnni, 12, 12>(t);
  if (t.m > 4) return MultiplyPairs<Avx512Vnni, 12, 8>(t);
  MultiplyPairs<Avx512Vnni, 12, 4>(t);
}

}  // namespace

const WinogradQ8Set winograd_q8_12x32__avx512vnni = {
    TransformTileInput<64>, Multiply, TransformTileOutputs<64, 32>};

}  // namespace mace::cpu
