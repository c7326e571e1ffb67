// Packs rows of quantized values on Arm, in lines of 8 bytes.
// SPDX-License-Identifier: Apache-2.0
//
// For SDOT and SMMLA, whose 6x16 tiles have the same packed rows. Runs of any
// length are shifted together in a word of 64 bits, and leave it line by line:
//
//   run 0:  a a a a a        line 0:  a a a a a b b b
//   run 1:  b b b b b        word_:   b b . . . . . .   bits_ = 16
//
// Values are flipped when a line is stored.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_ARM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_ARM_H_

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLine = 8;

// Writes the lines of one row, `stride` bytes apart. Runs may begin within
// a line. Bytes are in the order of memory: the first value of a line
// is the lowest byte of the word (little-endian).
class RowPacker {
 public:
  RowPacker(uint8_t* to, size_t stride, uint8_t flip)
      : to_(to),
        stride_(stride),
        flip_(uint64_t{0x0101010101010101} * flip),
        flips_(vdupq_n_u8(flip)) {}

  // Appends a run of n > 0 values. Reads nothing before or behind them.
  void Append(const uint8_t* from, size_t n) {
    const size_t whole = n;
    if (bits_ == 0) {
      for (; n >= 2 * kLine; n -= 2 * kLine, from += 2 * kLine) {
        const uint8x16_t x = veorq_u8(vld1q_u8(from), flips_);
        vst1_u8(to_, vget_low_u8(x));
        vst1_u8(to_ + stride_, vget_high_u8(x));
        to_ += 2 * stride_;
      }
    }
    for (; n >= kLine; n -= kLine, from += kLine) {
      uint64_t x;
      __builtin_memcpy(&x, from, sizeof(x));
      Store(word_ | x << bits_);
      if (bits_ > 0) word_ = x >> (64 - bits_);
    }
    if (n > 0) AppendBits(whole >= kLine ? Last(from + n, n) : Few(from, n), n);
  }
  // Appends a pixel of three channels.
  void AppendThree(const uint8_t* from) {
    uint16_t two;
    __builtin_memcpy(&two, from, sizeof(two));
    AppendBits(two | uint64_t{from[2]} << 16, 3);
  }
  // Writes the values that do not fill a line, if any, and zeros up to the end
  // of the line.
  void Finish() {
    if (bits_ == 0) return;
    word_ = (word_ ^ flip_) << (64 - bits_) >> (64 - bits_);
    __builtin_memcpy(to_, &word_, kLine);
    to_ += stride_;
  }
  // Returns where the next line of the row would begin.
  const uint8_t* end() const { return to_; }

 private:
  // Returns the n < kLine values that end at `end`, before which there are
  // kLine values, with one load; the other bytes are zero.
  static uint64_t Last(const uint8_t* end, size_t n) {
    uint64_t x;
    __builtin_memcpy(&x, end - kLine, sizeof(x));
    return x >> (8 * (kLine - n));
  }
  // Returns n < kLine values, the other bytes being zero.
  static uint64_t Few(const uint8_t* from, size_t n) {
    uint64_t x = 0;
    for (size_t i = 0; i < n; ++i) x |= uint64_t{from[i]} << (8 * i);
    return x;
  }
  // Appends 0 < n < kLine values, the lowest bytes of x. REQUIRES: the other
  // bytes are zero. If the values complete a line, the rest begins the next
  // word.
  void AppendBits(uint64_t x, size_t n) {
    word_ |= x << bits_;
    bits_ += static_cast<unsigned>(8 * n);
    if (bits_ < 64) return;
    Store(word_);
    bits_ -= 64;
    word_ = x >> (8 * n - bits_);
  }
  // Flips and writes a line.
  void Store(uint64_t line) {
    line ^= flip_;
    __builtin_memcpy(to_, &line, kLine);
    to_ += stride_;
  }

  uint8_t* to_;
  const size_t stride_;
  const uint64_t flip_;
  const uint8x16_t flips_;
  // Values that are not a line yet, not flipped. From bits_ on, a multiple of 8
  // below 64, the word is zero.
  uint64_t word_ = 0;
  unsigned bits_ = 0;  // in the word
};

// Returns the sum of a row as int8, from its packed lines, `stride` bytes
// apart. Adds whole lines: behind the last value, Finish has written zeros.
inline int32_t SumOfLines(const uint8_t* from, const uint8_t* end,
                          size_t stride) {
  int32x2_t sum = vdup_n_s32(0);
  for (; from != end; from += stride) {
    sum = vpadal_s16(sum, vpaddl_s8(vreinterpret_s8_u8(vld1_u8(from))));
  }
  return vget_lane_s32(sum, 0) + vget_lane_s32(sum, 1);
}

// Appends all runs of row `i`. Runs of three values, the pixels of most images,
// have code of their own.
inline void AppendRuns(const GemmRuns& rows, size_t i, RowPacker& packer) {
  const uint8_t* const* runs = rows.runs + i;
  if (rows.n == 3) {
    for (size_t s = rows.segments; s > 0; --s, runs += rows.m) {
      packer.AppendThree(*runs);
    }
    return;
  }
  for (size_t s = 0; s < rows.segments;) {
    // Runs are often adjacent, as the pixels of a line of a window are.
    const uint8_t* run = runs[s * rows.m];
    size_t n = rows.n;
    while (++s < rows.segments && runs[s * rows.m] == run + n) n += rows.n;
    packer.Append(run, n);
  }
}

// Packs up to kRows rows, row by row, whatever their runs are.
template <size_t kRows>
inline void PackLines(const GemmRuns& rows, void* to) {
  constexpr size_t kStride = kRows * kLine;
  for (size_t i = 0; i < rows.m; ++i) {
    uint8_t* line = static_cast<uint8_t*>(to) + i * kLine;
    RowPacker packer(line, kStride, rows.flip);
    AppendRuns(rows, i, packer);
    packer.Finish();
    if (rows.sums != nullptr) {
      rows.sums[i] = SumOfLines(line, packer.end(), kStride);
    }
  }
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_PACK_ARM_H_
