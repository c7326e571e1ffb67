// What all kernels for the vector unit share (HVX, 128 bytes, v66).
// SPDX-License-Identifier: Apache-2.0
//
// A vector has 128 bytes, 64 halves or 32 words, the lowest address first. Q6_
// names are intrinsics, one instruction each, which name the type of the
// result, the instruction and the types of its operands: V is a vector, W a
// pair of vectors, Q a predicate, R a scalar register; b, h, w are signed and
// ub, uh, uw unsigned elements of 8, 16 and 32 bits. Source: Hexagon V66 HVX
// Programmer's Reference Manual.
#ifndef MACE_HEXAGON_DSP_PROGRAM_HVX_HVX_H_
#define MACE_HEXAGON_DSP_PROGRAM_HVX_HVX_H_

#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <stdint.h>

namespace mace::hexagon {

using Vec = HVX_Vector;
using VecPair = HVX_VectorPair;
// Bytes of a vector, and the alignment that Load and Store need.
constexpr int32_t kVec = 128;

// Always inlined: a call would have to save all vectors, because no vector
// register survives one.
#define MACE_HVX_INLINE static inline __attribute__((always_inline))

// 128 bytes at any address that is a multiple of 128. The instruction ignores
// the low bits of others: it would read and write elsewhere, without a fault.
MACE_HVX_INLINE Vec Load(const void* at) {
  return *static_cast<const Vec*>(at);
}
// 128 bytes at any address. Past the end of a tensor they lie in its read slack
// (kReadSlack in protocol/graph_format.h); stores have none.
MACE_HVX_INLINE Vec LoadUnaligned(const void* at) {
  return *static_cast<const HVX_UVector*>(at);
}
MACE_HVX_INLINE void Store(void* at, Vec v) { *static_cast<Vec*>(at) = v; }
MACE_HVX_INLINE void StoreUnaligned(void* at, Vec v) {
  *static_cast<HVX_UVector*>(at) = v;
}

// The low 32, 16 or 8 bits of x in each word, half or byte; x may be signed or
// unsigned.
MACE_HVX_INLINE Vec SplatWord(int32_t x) { return Q6_V_vsplat_R(x); }
MACE_HVX_INLINE Vec SplatHalf(int32_t x) {
  return Q6_V_vsplat_R((x & 0xffff) * 0x10001);
}
MACE_HVX_INLINE Vec SplatByte(int32_t x) {
  return Q6_V_vsplat_R((x & 0xff) * 0x1010101);
}

// Writes the first `n` bytes of `v` at any address, and no others. REQUIRES: 1
// <= n <= 128. HVX has masked stores at aligned addresses only, so `v` is
// rotated to where it lies in one or two aligned vectors:
//
//        to                  to + 1
//       |......vvvvvvvvvv|   |vvvvvv......|
//        offset   kVec             end - kVec
MACE_HVX_INLINE void StoreBytes(void* at, Vec v, int32_t n) {
  const auto address = reinterpret_cast<uintptr_t>(at);
  const auto offset = static_cast<int32_t>(address & (kVec - 1));
  auto* to = reinterpret_cast<Vec*>(address - offset);
  const Vec turned = Q6_V_vror_VR(v, -offset);
  const HVX_VectorPred before = Q6_Q_vsetq_R(offset);
  // vsetq sets the bytes below its operand modulo 128: none for 0. vsetq2 sets
  // all for 128, as `end` needs it.
  const int32_t end = offset + n;
  if (end <= kVec) {
    Q6_vmem_QRIV(Q6_Q_and_QQn(Q6_Q_vsetq2_R(end), before), to, turned);
    return;
  }
  Q6_vmem_QnRIV(before, to, turned);
  Q6_vmem_QRIV(Q6_Q_vsetq_R(end - kVec), to + 1, turned);
}

// Copies `n` bytes; reads and writes up to 127 more, so that it needs no mask.
// `to` and `from` do not overlap, not even in what is copied besides. Pieces
// that follow each other are copied in ascending order: each overwrites the
// surplus of the one before.
MACE_HVX_INLINE void CopyLoosely(uint8_t* to, const uint8_t* from, int32_t n) {
  for (int32_t i = 0; i < n; i += kVec) {
    StoreUnaligned(to + i, LoadUnaligned(from + i));
  }
}

// Copies `n` bytes, writes no more, and reads up to 127 more. `to` and `from`
// do not overlap.
MACE_HVX_INLINE void CopyBytes(uint8_t* to, const uint8_t* from, int32_t n) {
  int32_t i = 0;
  for (; i + kVec <= n; i += kVec) {
    StoreUnaligned(to + i, LoadUnaligned(from + i));
  }
  if (i < n) StoreBytes(to + i, LoadUnaligned(from + i), n - i);
}

// The product a * b / 2^31 of words, rounded to the nearest, ties up; -2^31
// times itself saturates. This is gemmlowp's SaturatingRoundingDoublingHighMul.
// HVX multiplies words by halves only: a by the even half of b, shifted right
// by 16, then the product with the odd half is added, doubled, rounded and
// shifted.
MACE_HVX_INLINE Vec MultiplyHigh(Vec a, Vec b) {
  return Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(Q6_Vw_vmpye_VwVuh(a, b), a, b);
}

// The product a * b of words, modulo 2^32: a times the odd half of b, shifted
// left by 16, plus a times the even half.
MACE_HVX_INLINE Vec MultiplyLow(Vec a, Vec b) {
  const Vec high = Q6_Vw_vasl_VwR(Q6_Vw_vmpyio_VwVh(a, b), 16);
  return Q6_Vw_vmpyieacc_VwVwVuh(high, a, b);
}

// Words / 2^(shift + 1), rounded to the nearest, ties away from zero
// (gemmlowp's RoundingDivideByPOT). `shift` has the words' shifts less one.
// REQUIRES: 0 <= shift <= 30. The average with 0 is the last shift and rounds
// up; 1 less where x is negative makes ties go down there.
MACE_HVX_INLINE Vec RoundingShiftLess1(Vec x, Vec shift) {
  const Vec sign = Q6_Vw_vasr_VwR(x, 31);
  const Vec y = Q6_Vw_vasr_VwVw(Q6_Vw_vadd_VwVw_sat(x, sign), shift);
  return Q6_Vw_vavg_VwVw_rnd(y, Q6_V_vzero());
}

// Words times fixed-point factors, mantissa * 2^(exponent - 31), with exponents
// in -31..31: TFLite's MultiplyByQuantizedMultiplier. It rounds twice: the
// product to a word (MultiplyHigh), then its right shift. x * 2^exponent of a
// positive exponent is taken modulo 2^32.
MACE_HVX_INLINE Vec ScaleAny(Vec x, Vec mantissa, Vec exponent) {
  const Vec zero = Q6_V_vzero();
  const Vec left = Q6_Vw_vmax_VwVw(exponent, zero);
  const Vec right = Q6_Vw_vsub_VwVw(left, exponent);  // max(-exponent, 0)
  const Vec high = MultiplyHigh(Q6_Vw_vasl_VwVw(x, left), mantissa);
  const Vec shifted =
      RoundingShiftLess1(high, Q6_Vw_vsub_VwVw(right, SplatWord(1)));
  // Where there is no right shift, `shifted` was shifted by -1 and is no
  // result.
  return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(right, zero), high, shifted);
}

// The same, rounded once to the nearest, ties away from zero (fc_rounds_once of
// CpuContext). Products beyond 32 bits saturate. REQUIRES: exponents of at most
// 16, as the saturated size has 31 bits less the exponent. Computes with the
// size of x, its absolute value, and gives the sign back at the end.
MACE_HVX_INLINE Vec ScaleOnce(Vec x, Vec mantissa, Vec exponent) {
  const Vec zero = Q6_V_vzero();
  const Vec left = Q6_Vw_vmax_VwVw(exponent, zero);
  const Vec right = Q6_Vw_vsub_VwVw(left, exponent);  // max(-exponent, 0)
  // The largest size that the left shift keeps within a word.
  const Vec room = Q6_Vw_vasr_VwVw(SplatWord(0x7fffffff), left);
  const Vec size =
      Q6_Vw_vasl_VwVw(Q6_Vw_vmin_VwVw(Q6_Vw_vabs_Vw_sat(x), room), left);
  // Rounded down, so that the shift is the only step that rounds.
  const Vec down = Q6_Vw_vmpyoacc_VwVwVh_s1_sat_shift(
      Q6_Vw_vmpye_VwVuh(size, mantissa), size, mantissa);
  const Vec halves =
      Q6_Vw_vasr_VwVw(down, Q6_Vw_vsub_VwVw(right, SplatWord(1)));
  const Vec y = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(right, zero),
                              MultiplyHigh(size, mantissa),
                              Q6_Vw_vavg_VwVw_rnd(halves, zero));
  const Vec sign = Q6_Vw_vasr_VwR(x, 31);
  return Q6_Vw_vsub_VwVw(Q6_V_vxor_VV(y, sign), sign);
}

// Four vectors of words to one of quantized values: clamp(w + zero_point,
// least, most), in the order w0, w1, w2, w3. `zero_point` has halves, `least`
// and `most` bytes (SplatHalf, SplatByte). Each step saturates, first to halves
// and then to int8 (kSigned) or uint8, so that words of any size are clamped
// right.
template <bool kSigned>
MACE_HVX_INLINE Vec PackBytes(Vec w0, Vec w1, Vec w2, Vec w3, Vec zero_point,
                              Vec least, Vec most) {
  const Vec h0 = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vpack_VwVw_sat(w1, w0), zero_point);
  const Vec h1 = Q6_Vh_vadd_VhVh_sat(Q6_Vh_vpack_VwVw_sat(w3, w2), zero_point);
  if (kSigned) {
    const Vec b = Q6_Vb_vpack_VhVh_sat(h1, h0);
    return Q6_Vb_vmin_VbVb(Q6_Vb_vmax_VbVb(b, least), most);
  }
  const Vec b = Q6_Vub_vpack_VhVh_sat(h1, h0);
  return Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(b, least), most);
}

// 128 quantized values as four vectors of words: value 32 * q + i is in word i
// of w[q].
struct Words {
  Vec w[4];
};
// The bytes of four rows, channel by channel: word i of w[q] has the bytes of
// channel 32 * q + i, that of `a` lowest. vrmpy then sums over the four rows.
//
//   a: a0 a1 ..
//   b: b0 b1 ..   bytes    a0 b0 a1 b1 ..   halves    a0 b0 c0 d0 | a1 b1 ..
//   c: c0 c1 ..  ------->  c0 d0 c1 d1 ..  ------->      word 0      word 1
//   d: d0 d1 ..
MACE_HVX_INLINE Words Interleave(Vec a, Vec b, Vec c, Vec d) {
  const VecPair ab = Q6_W_vshuff_VVR(b, a, -1);
  const VecPair cd = Q6_W_vshuff_VVR(d, c, -1);
  const VecPair lo = Q6_W_vshuff_VVR(Q6_V_lo_W(cd), Q6_V_lo_W(ab), -2);
  const VecPair hi = Q6_W_vshuff_VVR(Q6_V_hi_W(cd), Q6_V_hi_W(ab), -2);
  return {{Q6_V_lo_W(lo), Q6_V_hi_W(lo), Q6_V_lo_W(hi), Q6_V_hi_W(hi)}};
}

// 128 quantized values, int8 or uint8, as words in the order of Words.
MACE_HVX_INLINE Words Widen(Vec values, bool is_signed) {
  const VecPair h =
      is_signed ? Q6_Wh_vunpack_Vb(values) : Q6_Wuh_vunpack_Vub(values);
  const VecPair lo = is_signed ? Q6_Ww_vunpack_Vh(Q6_V_lo_W(h))
                               : Q6_Wuw_vunpack_Vuh(Q6_V_lo_W(h));
  const VecPair hi = is_signed ? Q6_Ww_vunpack_Vh(Q6_V_hi_W(h))
                               : Q6_Wuw_vunpack_Vuh(Q6_V_hi_W(h));
  return {{Q6_V_lo_W(lo), Q6_V_hi_W(lo), Q6_V_lo_W(hi), Q6_V_hi_W(hi)}};
}
// The reverse of Widen, with a zero point and a range: PackBytes for a type
// that is known at run time.
MACE_HVX_INLINE Vec Pack(const Words& x, bool is_signed, Vec zero_point,
                         Vec least, Vec most) {
  return is_signed ? PackBytes<true>(x.w[0], x.w[1], x.w[2], x.w[3], zero_point,
                                     least, most)
                   : PackBytes<false>(x.w[0], x.w[1], x.w[2], x.w[3],
                                      zero_point, least, most);
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_HVX_HVX_H_
