// Quantizes and dequantizes floats on AVX-512.
// SPDX-License-Identifier: Apache-2.0
//
// Numbers are divided by the scale with multiplications: two steps of Newton's
// method from the product with the reciprocal. The last one rounds correctly
// (Markstein, "Computation of elementary functions on the IBM RISC System/6000
// processor", 1990), as the reciprocal does and nothing leaves the range of
// normal numbers.

#include <immintrin.h>

#include "mace/cpu/ukernels/quantize_q8/quantize_q8_loop.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16, kStep = 4 * kLanes;
// Whatever the thread's rounding mode is.
constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
// Scales beyond it are divided by: the limits that numbers are clamped to, and
// what is left of numbers that matter, must be normal numbers.
constexpr float kMinScale = 0x1p-60f, kMaxScale = 0x1p60f;

template <bool kTiesToEven>
class Quantizer {
 public:
  explicit Quantizer(const QuantizeQ8Args& t)
      : scale_(_mm512_set1_ps(t.scale)),
        reciprocal_(_mm512_div_round_ps(_mm512_set1_ps(1), scale_, kNearest)),
        limit_(_mm512_set1_ps(kMaxUnits * t.scale)),
        zero_point_(_mm512_set1_epi32(t.zero_point)) {}

  __m512i Quantized(__m512 x) const {
    // Of NaN and a number, the instruction returns the second operand.
    x = _mm512_max_ps(x, _mm512_sub_ps(_mm512_setzero_ps(), limit_));
    x = _mm512_min_ps(x, limit_);
    __m512 units = _mm512_mul_round_ps(x, reciprocal_, kNearest);
    units = Nearer(x, Nearer(x, units));
    return _mm512_add_epi32(Nearest(units), zero_point_);
  }

 private:
  __m512 Nearer(__m512 x, __m512 units) const {
    const __m512 rest = _mm512_fnmadd_round_ps(units, scale_, x, kNearest);
    return _mm512_fmadd_round_ps(rest, reciprocal_, units, kNearest);
  }
  static __m512i Nearest(__m512 units) {
    if (kTiesToEven) {
      return _mm512_cvt_roundps_epi32(units, kNearest);
    }
    // The largest number below a half, with the sign of the number: what is
    // just below a half stays below 1.
    const __m512i half = _mm512_castps_si512(_mm512_set1_ps(0x1.fffffep-2f));
    const __m512i sign = _mm512_set1_epi32(INT32_MIN);
    constexpr int kSignOrHalf = 0xea;  // (units & sign) | half
    const __m512i away = _mm512_ternarylogic_epi32(_mm512_castps_si512(units),
                                                   sign, half, kSignOrHalf);
    return _mm512_cvttps_epi32(
        _mm512_add_round_ps(units, _mm512_castsi512_ps(away), kNearest));
  }

  __m512 scale_, reciprocal_, limit_;
  __m512i zero_point_;
};

// The bytes of four vectors of integers, with saturation.
template <bool kSigned>
inline __m512i Bytes(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i ab = _mm512_packs_epi32(a, b), cd = _mm512_packs_epi32(c, d);
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, kSigned ? _mm512_packs_epi16(ab, cd)
                                                 : _mm512_packus_epi16(ab, cd));
}

template <bool kTiesToEven, bool kSigned>
void QuantizeValues(const QuantizeQ8Args& t) {
  const Quantizer<kTiesToEven> quantizer(t);
  const __m512i least = _mm512_set1_epi8(static_cast<char>(t.least));
  const __m512i most = _mm512_set1_epi8(static_cast<char>(t.most));
  const auto quantized = [&](const auto& load) {
    const __m512i all = Bytes<kSigned>(
        quantizer.Quantized(load(0)), quantizer.Quantized(load(1)),
        quantizer.Quantized(load(2)), quantizer.Quantized(load(3)));
    return kSigned ? _mm512_min_epi8(_mm512_max_epi8(all, least), most)
                   : _mm512_min_epu8(_mm512_max_epu8(all, least), most);
  };
  size_t i = 0;
  for (; i + kStep <= t.n; i += kStep) {
    _mm512_storeu_si512(t.quantized + i, quantized([&](size_t v) {
                          return _mm512_loadu_ps(t.x + i + v * kLanes);
                        }));
  }
  if (i == t.n) return;
  const uint64_t left = ~uint64_t{0} >> (kStep - (t.n - i));
  _mm512_mask_storeu_epi8(t.quantized + i, left, quantized([&](size_t v) {
                            return _mm512_maskz_loadu_ps(
                                static_cast<__mmask16>(left >> (v * kLanes)),
                                t.x + i + v * kLanes);
                          }));
}

}  // namespace

void quantize_q8__avx512(const QuantizeQ8Args& args) {
  if (!(args.scale >= kMinScale && args.scale <= kMaxScale)) {
    return QuantizeAll(args);
  }
  if (args.least < 0 || args.most < 128) {
    return args.ties_to_even ? QuantizeValues<true, true>(args)
                             : QuantizeValues<false, true>(args);
  }
  args.ties_to_even ? QuantizeValues<true, false>(args)
                    : QuantizeValues<false, false>(args);
}

void dequantize_q8__avx512(const DequantizeQ8Args& args) {
  DequantizeAll(args);
}

}  // namespace mace::cpu
