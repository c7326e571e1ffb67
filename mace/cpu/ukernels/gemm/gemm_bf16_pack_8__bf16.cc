// Packs up to 8 rows of a as bfloat16: four elements of each row in turn.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_16bit_pack_arm.h"

namespace mace::cpu {
namespace {

struct RoundToBf16 {
  template <size_t kStep>
  static inline void Run(const float* from, Bf16* to) {
    static_assert(kStep == 4);
    vst1_u16(&to->bits, vreinterpret_u16_bf16(vcvt_bf16_f32(vld1q_f32(from))));
  }
};

}  // namespace

Bf16* gemm_bf16_pack_8__bf16(GemmUnpackedOf<float> rows, Bf16* to) {
  // Rows that do not exist may hold any values, because no tile writes their
  // results.
  return PackRows<RoundToBf16, 4>(rows, 8, to);
}

}  // namespace mace::cpu
