// Adds quantized values on AVX-512.
// SPDX-License-Identifier: Apache-2.0
//
// Three roundings of fixed-point numbers differ from the exact sum by
// far less than the distance between quantized values. So sums are computed as
// floats. If one of 64 lies so close to the middle between two quantized values
// that it could be rounded to the other one, all 64 are computed in fixed
// point, with the arithmetic of fixed_point_avx512.h.

#include <immintrin.h>

#include "mace/cpu/ukernels/add_q8/add_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 64;

inline __m512i Set1(int x) { return _mm512_set1_epi32(x); }

// Scales numbers that are less than 2^29 in magnitude and given four times as
// large.
struct Factor {
  __m512i mantissa, tie, add;
  __m128i right;
  bool half;  // 1/2, of which no rounding takes anything

  explicit Factor(AddQ8Factor f)
      : mantissa(Set1(f.mantissa)),
        tie(Set1(f.right > 0 ? 2 : 0)),
        add(Set1(1 + (f.right > 0 ? 1 << f.right : 0))),
        right(_mm_cvtsi32_si128(f.right + 1)),
        half(f.mantissa == 1 << 30 && f.right == 0) {}

  // kTies: it matters how negative numbers are rounded.
  template <bool kTies = true>
  __m512i Scale(__m512i x) const {
    const __m512i low = _mm512_mul_epi32(x, mantissa);
    const __m512i high = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), mantissa);
    __m512i q = _mm512_mask_shuffle_epi32(high, 0x5555, low, _MM_PERM_DDBB);
    if (kTies) q = _mm512_mask_sub_epi32(q, _mm512_movepi32_mask(x), q, tie);
    return _mm512_sra_epi32(_mm512_add_epi32(q, add), right);
  }
};

struct Operand {
  const uint8_t* quantized;
  Factor factor;
  __m512i zero;

  // Quantized values are signed once their highest bit is flipped, `offset`
  // less.
  Operand(const AddQ8Args::Operand& x, int offset)
      : quantized(x.quantized),
        factor(x.factor),
        zero(Set1((x.zero_point - offset) *
                  (1 << (factor.half ? kHalfBits : kBits)))) {}

  template <bool kHalf>
  __m512i Scaled(__m128i bytes) const {
    const __m512i x =
        _mm512_sub_epi32(_mm512_slli_epi32(_mm512_cvtepi8_epi32(bytes),
                                           kHalf ? kHalfBits : kBits),
                         zero);
    return kHalf ? x : factor.Scale(x);
  }
  static constexpr int kHalfBits = kAddQ8Bits - 1, kBits = kAddQ8Bits + 2;
};

// kTies: of sums. kHalfA, kHalfB: what the operands' factors say.
template <bool kTies, bool kHalfA, bool kHalfB>
void Run(const AddQ8Args& t) {
  const int offset = t.is_unsigned ? 128 : 0;
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(offset));
  const __m512i least = _mm512_set1_epi8(static_cast<char>(t.least - offset));
  const __m512i most = _mm512_set1_epi8(static_cast<char>(t.most - offset));
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i zero = Set1(t.zero_point - offset);
  const Operand a(t.a, offset), b(t.b, offset);
  const Factor factor(t.factor);
  for (size_t i = 0; i < t.n; i += kInt8Lanes) {
    const __mmask64 here =
        t.n - i < kInt8Lanes ? (uint64_t{1} << (t.n - i)) - 1 : ~uint64_t{0};
    alignas(64) __m128i x[4], w[4];
    _mm512_store_si512(
        x,
        _mm512_xor_si512(_mm512_maskz_loadu_epi8(here, a.quantized + i), flip));
    _mm512_store_si512(
        w,
        _mm512_xor_si512(_mm512_maskz_loadu_epi8(here, b.quantized + i), flip));
    __m512i y[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m512i p = a.Scaled<kHalfA>(x[v]), q = b.Scaled<kHalfB>(w[v]);
      const __m512i sum =
          t.subtract ? _mm512_sub_epi32(p, q) : _mm512_add_epi32(p, q);
      y[v] = _mm512_add_epi32(factor.Scale<kTies>(_mm512_slli_epi32(sum, 2)),
                              zero);
    }
    __m512i quantized = _mm512_packs_epi16(_mm512_packs_epi32(y[0], y[1]),
                                           _mm512_packs_epi32(y[2], y[3]));
    quantized = _mm512_min_epi8(_mm512_max_epi8(quantized, least), most);
    quantized =
        _mm512_xor_si512(_mm512_permutexvar_epi32(order, quantized), flip);
    _mm512_mask_storeu_epi8(t.y + i, here, quantized);
  }
}

template <bool kTies>
void RunOperands(const AddQ8Args& t) {
  const bool half_a = Factor(t.a.factor).half, half_b = Factor(t.b.factor).half;
  if (half_a && half_b) return Run<kTies, true, true>(t);
  if (half_a) return Run<kTies, true, false>(t);
  if (half_b) return Run<kTies, false, true>(t);
  Run<kTies, false, false>(t);
}

void RunInFixedPoint(const AddQ8Args& t) {
  // Where the zero point is the smallest value, negative sums become it however
  // they are rounded.
  t.least == t.zero_point ? RunOperands<false>(t) : RunOperands<true>(t);
}

// The part of t from element i on, of n elements.
inline AddQ8Args PartOf(const AddQ8Args& t, size_t i, size_t n) {
  AddQ8Args part = t;
  part.n = n;
  part.a.quantized += i;
  part.b.quantized += i;
  part.y += i;
  return part;
}

inline double DoubleOf(AddQ8Factor f) {
  return static_cast<double>(f.mantissa) /
         static_cast<double>(uint64_t{1} << (31 + f.right));
}

// y = a * x + b * w + c, of quantized values; y is 128 less if they are
// unsigned.
struct DoubleFactors {
  float a, b, c;
  double error;  // no result in fixed point is farther from it

  explicit DoubleFactors(const AddQ8Args& t) {
    const int offset = t.is_unsigned ? 128 : 0;
    const double unit = DoubleOf(t.factor), ulp = 1.0 / (1 << 24);
    const double x = DoubleOf(t.a.factor) * unit * (1 << kAddQ8Bits);
    const double w =
        DoubleOf(t.b.factor) * unit * (1 << kAddQ8Bits) * (t.subtract ? -1 : 1);
    const double y =
        t.zero_point - offset - x * t.a.zero_point - w * t.b.zero_point;
    a = static_cast<float>(x);
    b = static_cast<float>(w);
    c = static_cast<float>(y);
    // Each operand is rounded twice, by at most 1 in all, and so is their sum,
    // by at most `unit` of 1 LSB before it is rounded to one. Floats round
    // factors and results, none of which is larger than `most`.
    const double most = 255 * (Magnitude(x) + Magnitude(w)) + Magnitude(y);
    error = 3 * unit + 8 * ulp * most;
  }

  static double Magnitude(double x) { return x < 0 ? -x : x; }
};

// Beyond this, too many sums would be close to the middle.
constexpr double kMaxError = 1.0 / 512;

template <bool kUnsigned>
inline __m512 FloatsOf(const uint8_t* quantized) {
  const __m128i bytes =
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(quantized));
  return _mm512_cvtepi32_ps(kUnsigned ? _mm512_cvtepu8_epi32(bytes)
                                      : _mm512_cvtepi8_epi32(bytes));
}

// Rounds to the nearest, whatever the thread's rounding mode is.
inline __m512i Nearest(__m512 x) {
  return _mm512_cvt_roundps_epi32(
      x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// Computes whole vectors of 64 values, and returns how many values it computed.
// It ends early if too many vectors need fixed point.
template <bool kUnsigned>
size_t RunInFloats(const AddQ8Args& t, const DoubleFactors& doubles) {
  const int offset = kUnsigned ? 128 : 0;
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(offset));
  const __m512i least = _mm512_set1_epi8(static_cast<char>(t.least - offset));
  const __m512i most = _mm512_set1_epi8(static_cast<char>(t.most - offset));
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512 a = _mm512_set1_ps(doubles.a), b = _mm512_set1_ps(doubles.b);
  const __m512 c = _mm512_set1_ps(doubles.c);
  const __m512 sure = _mm512_set1_ps(static_cast<float>(0.5 - doubles.error));
  constexpr int kNearest = 0, kLargestMagnitude = 0xb;
  size_t again = 0, i = 0;
  for (; i + kInt8Lanes <= t.n && again <= 8 + i / (4 * kInt8Lanes);
       i += kInt8Lanes) {
    __m512 y[4], rest[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m512 x = FloatsOf<kUnsigned>(t.a.quantized + i + 16 * v);
      const __m512 w = FloatsOf<kUnsigned>(t.b.quantized + i + 16 * v);
      y[v] = _mm512_fmadd_ps(x, a, _mm512_fmadd_ps(w, b, c));
      rest[v] = _mm512_reduce_ps(y[v], kNearest);
    }
    const __m512 farthest =
        _mm512_range_ps(_mm512_range_ps(rest[0], rest[1], kLargestMagnitude),
                        _mm512_range_ps(rest[2], rest[3], kLargestMagnitude),
                        kLargestMagnitude);
    if (_mm512_cmp_ps_mask(farthest, sure, _CMP_GT_OQ) != 0) {
      ++again;
      RunInFixedPoint(PartOf(t, i, kInt8Lanes));
      continue;
    }
    __m512i quantized =
        _mm512_packs_epi16(_mm512_packs_epi32(Nearest(y[0]), Nearest(y[1])),
                           _mm512_packs_epi32(Nearest(y[2]), Nearest(y[3])));
    quantized = _mm512_min_epi8(_mm512_max_epi8(quantized, least), most);
    quantized =
        _mm512_xor_si512(_mm512_permutexvar_epi32(order, quantized), flip);
    _mm512_storeu_si512(t.y + i, quantized);
  }
  return i;
}

}  // namespace

void add_q8__avx512(const AddQ8Args& t) {
  const DoubleFactors doubles(t);
  size_t done = 0;
  if (doubles.error < kMaxError) {
    done = t.is_unsigned ? RunInFloats<true>(t, doubles)
                         : RunInFloats<false>(t, doubles);
  }
  if (done < t.n) RunInFixedPoint(PartOf(t, done, t.n - done));
}

}  // namespace mace::cpu
