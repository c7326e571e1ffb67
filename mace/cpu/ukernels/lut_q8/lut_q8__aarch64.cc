// Looks values up on NEON of armv8, 16 registers of which hold the table.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/lut_q8/lut_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kInt8Lanes = 16, kQuarter = 64;

struct Table {
  uint8x16x4_t quarters[4];

  explicit Table(const uint8_t* from) {
    for (size_t q = 0; q < 4; ++q) {
      for (size_t i = 0; i < 4; ++i) {
        quarters[q].val[i] = vld1q_u8(from + kQuarter * q + kInt8Lanes * i);
      }
    }
  }

  // A quarter gives 0, or leaves what there is, where the value is not its own.
  uint8x16_t At(uint8x16_t x) const {
    uint8x16_t y = vqtbl4q_u8(quarters[0], x);
    y = vqtbx4q_u8(y, quarters[1], veorq_u8(x, vdupq_n_u8(0x40)));
    y = vqtbx4q_u8(y, quarters[2], veorq_u8(x, vdupq_n_u8(0x80)));
    return vqtbx4q_u8(y, quarters[3], veorq_u8(x, vdupq_n_u8(0xc0)));
  }
};

}  // namespace

void lut_q8__aarch64(const LutQ8Args& t) {
  const Table table(t.table);
  const uint8_t* x = t.x;
  uint8_t* y = t.y;
  size_t left = t.n;
  for (; left >= 2 * kInt8Lanes; left -= 2 * kInt8Lanes) {
    const uint8x16_t a = table.At(vld1q_u8(x));
    const uint8x16_t b = table.At(vld1q_u8(x + kInt8Lanes));
    vst1q_u8(y, a);
    vst1q_u8(y + kInt8Lanes, b);
    x += 2 * kInt8Lanes;
    y += 2 * kInt8Lanes;
  }
  for (; left > 0; --left) *y++ = t.table[*x++];
}

}  // namespace mace::cpu
