// Requantizes sums on AVX-512.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/simd/fixed_point_avx512.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16;

inline simd::FixedFactors FactorsOf(const RequantizeQ8Tile& t) {
  return {t.mantissa, t.left, t.right, t.zero_point};
}

inline __m512i Sums(const RequantizeQ8Tile& t, size_t i, size_t j) {
  const __m512i sums = _mm512_loadu_si512(t.sums + i * t.sums_stride + j);
  if (t.row_add == nullptr) return sums;
  return _mm512_add_epi32(sums, simd::Set1(t.row_add[i]));
}

// 32 columns, whatever their factors are.
template <bool kTies>
struct AnyColumns {
  simd::AnyFactors<kTies> a, b;

  AnyColumns(const RequantizeQ8Tile& t, size_t j)
      : a(FactorsOf(t), j), b(FactorsOf(t), j + kLanes) {}

  // The values of row i, as 16-bit integers.
  __m512i Scale(const RequantizeQ8Tile& t, size_t i, size_t j) const {
    return _mm512_packs_epi32(a.Scale(Sums(t, i, j)),
                              b.Scale(Sums(t, i, j + kLanes)));
  }
};

struct RightColumns {
  simd::RightFactors a, b;

  RightColumns(const RequantizeQ8Tile& t, size_t j)
      : a(FactorsOf(t), j), b(FactorsOf(t), j + kLanes) {}

  __m512i Scale(const RequantizeQ8Tile& t, size_t i, size_t j) const {
    const int32_t* sums = t.sums + i * t.sums_stride + j;
    // Loading odd sums takes no unit that others need; but behind the second
    // vector there may be none.
    return _mm512_packs_epi32(
        a.Scale(_mm512_loadu_si512(sums), _mm512_loadu_si512(sums + 1)),
        b.Scale(_mm512_loadu_si512(sums + kLanes)));
  }
};

// 32 columns from j on, of two rows at a time. kWhole: all of them exist;
// stores with a mask cost several times as much.
template <typename Columns, bool kSigned, bool kClamps, bool kWhole>
inline void RunColumns(const RequantizeQ8Tile& t, size_t j) {
  const Columns factors(t, j);
  const simd::Saturated<kSigned, kClamps> quantized_of(t.least, t.most);
  const auto columns =
      static_cast<__mmask32>(kWhole ? ~0u : (1u << (t.n - j)) - 1);
  const auto store = [&](uint8_t* y, __m256i quantized) {
    if (kWhole) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), quantized);
    } else {
      _mm256_mask_storeu_epi8(y, columns, quantized);
    }
  };
  uint8_t* y = t.y + j;
  size_t i = 0;
  for (; i + 1 < t.m; i += 2, y += 2 * t.y_stride) {
    const __m512i quantized =
        quantized_of.Pack(factors.Scale(t, i, j), factors.Scale(t, i + 1, j));
    store(y, _mm512_castsi512_si256(quantized));
    store(y + t.y_stride, _mm512_extracti64x4_epi64(quantized, 1));
  }
  if (i == t.m) return;
  const __m512i last = factors.Scale(t, i, j);
  store(y, _mm512_castsi512_si256(quantized_of.Pack(last, last)));
}

template <bool kSigned, bool kClamps, bool kWhole>
inline void RunColumns(const RequantizeQ8Tile& t, size_t j) {
  if (t.row_add == nullptr && simd::AreRight(FactorsOf(t), t.least, j)) {
    RunColumns<RightColumns, kSigned, kClamps, kWhole>(t, j);
  } else if (t.least == t.zero_point) {
    RunColumns<AnyColumns<false>, kSigned, kClamps, kWhole>(t, j);
  } else {
    RunColumns<AnyColumns<true>, kSigned, kClamps, kWhole>(t, j);
  }
}

template <bool kSigned, bool kClamps>
void Run(const RequantizeQ8Tile& t) {
  for (size_t j = 0; j < t.n; j += 2 * kLanes) {
    if (t.n - j >= 2 * kLanes) {
      RunColumns<kSigned, kClamps, true>(t, j);
    } else {
      RunColumns<kSigned, kClamps, false>(t, j);
    }
  }
}

}  // namespace

void requantize_q8__avx512(const RequantizeQ8Tile& tile) {
  if (tile.least < 0 || tile.most < 128) {
    if (tile.least == -128 && tile.most == 127) return Run<true, false>(tile);
    return Run<true, true>(tile);
  }
  if (tile.least == 0 && tile.most == 255) return Run<false, false>(tile);
  Run<false, true>(tile);
}

}  // namespace mace::cpu
