// Packs up to 8 rows of a as fp16: eight elements of each row in turn.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_16bit_pack_arm.h"

namespace mace::cpu {
namespace {

struct RoundToFp16 {
  template <size_t kStep>
  static inline void Run(const float* from, Fp16* to) {
    static_assert(kStep == 8);
    const float16x4_t low = vcvt_f16_f32(vld1q_f32(from));
    vst1q_u16(&to->bits, vreinterpretq_u16_f16(
                             vcvt_high_f16_f32(low, vld1q_f32(from + 4))));
  }
};

}  // namespace

Fp16* gemm_f16_pack_8__fp16(GemmUnpackedOf<float> rows, Fp16* to) {
  return PackRows<RoundToFp16, 8>(rows, rows->m, to);
}

}  // namespace mace::cpu
