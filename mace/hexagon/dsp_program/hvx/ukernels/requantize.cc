// Sums of products to quantized values, with the roundings of TFLite's
// reference kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"

namespace mace::hexagon {
namespace {

// kRight: exponents of -31 to -1. kOnce: rounds once.
enum class Kind { kRight, kAny, kOnce };

struct Stage {
  Vec mantissa[4], shift[4];  // exponents; of kRight -1 - exponent
};

template <Kind kKind>
MACE_HVX_INLINE Stage LoadStage(const RequantizeArgs& args) {
  Stage stage;
  for (int b = 0, at = 0; b < 4; ++b) {
    const int32_t* block = args.stage + at * 96;
    stage.mantissa[b] = Load(block + 32);
    const Vec exponent = Load(block + 64);
    stage.shift[b] = kKind == Kind::kRight ? Q6_V_vnot_V(exponent) : exponent;
    if (++at == args.stage_blocks) at = 0;
  }
  return stage;
}

template <Kind kKind>
MACE_HVX_INLINE Vec ScaleWords(Vec x, Vec mantissa, Vec shift) {
  if (kKind == Kind::kOnce) return ScaleOnce(x, mantissa, shift);
  if (kKind == Kind::kAny) return ScaleAny(x, mantissa, shift);
  return RoundingShiftLess1(MultiplyHigh(x, mantissa), shift);
}

template <bool kSigned, Kind kKind>
MACE_HVX_INLINE void Requantize(const RequantizeArgs& args) {
  const Stage stage = LoadStage<kKind>(args);
  const Vec zero_point = SplatHalf(args.zero_point);
  const Vec least = SplatByte(args.least), most = SplatByte(args.most);
  const auto* acc = reinterpret_cast<const Vec*>(args.acc);
  const int32_t step = args.acc_stride >> 5;
  uint8_t* y = args.y;
  const bool is_plain =
      args.bytes == kVec &&
      ((reinterpret_cast<uintptr_t>(y) | args.y_stride) & (kVec - 1)) == 0;
  const auto group = [&](const Vec* from) __attribute__((always_inline)) {
    Vec w[4];
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      w[b] = ScaleWords<kKind>(from[b], stage.mantissa[b], stage.shift[b]);
    }
    return PackBytes<kSigned>(w[0], w[1], w[2], w[3], zero_point, least, most);
  };
  int32_t left = args.groups;
  const int32_t y_stride = args.y_stride;
  if (is_plain) {
    // Two at a time keep both multipliers and the shifter busy.
    for (; left >= 2; left -= 2, acc += 2 * step, y += 2 * y_stride) {
      const Vec first = group(acc), second = group(acc + step);
      Store(y, first);
      Store(y + y_stride, second);
    }
    if (left > 0) Store(y, group(acc));
    return;
  }
#pragma clang loop unroll(disable)
  for (; left > 0; --left, acc += step, y += y_stride) {
    StoreBytes(y, group(acc), args.bytes);
  }
}

}  // namespace

extern "C" {
void mace_requantize_s8(const RequantizeArgs& args) {
  Requantize<true, Kind::kRight>(args);
}
void mace_requantize_u8(const RequantizeArgs& args) {
  Requantize<false, Kind::kRight>(args);
}
void mace_requantize_any_s8(const RequantizeArgs& args) {
  Requantize<true, Kind::kAny>(args);
}
void mace_requantize_any_u8(const RequantizeArgs& args) {
  Requantize<false, Kind::kAny>(args);
}
void mace_requantize_once_s8(const RequantizeArgs& args) {
  Requantize<true, Kind::kOnce>(args);
}
void mace_requantize_once_u8(const RequantizeArgs& args) {
  Requantize<false, Kind::kOnce>(args);
}
}

}  // namespace mace::hexagon
