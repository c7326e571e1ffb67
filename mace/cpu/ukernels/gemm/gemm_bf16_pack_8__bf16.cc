// Packs up to 8 rows of a as bfloat16: four elements of each row in turn.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_half.h"
#include "mace/cpu/ukernels/gemm/gemm_half_pack_arm.h"

namespace mace::cpu {
namespace {

struct RoundToBf16 {
  template <size_t kStep>
  static inline void Run(const float* from, uint16_t* to) {
    static_assert(kStep == 4);
    vst1_u16(to, vreinterpret_u16_bf16(vcvt_bf16_f32(vld1q_f32(from))));
  }
};

}  // namespace

void gemm_bf16_pack_8__bf16(const GemmF32Rows& rows, float* to) {
  // What stands for rows that are not there may be anything: no tile writes
  // what they yield.
  PackRows<RoundToBf16, 4>(rows, 8, to);
}

}  // namespace mace::cpu
