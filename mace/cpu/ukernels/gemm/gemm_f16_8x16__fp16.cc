// The 8x16 GEMM tile of binary16 on armv8.2: 16 of 32 registers accumulate.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_16bit.h"
#include "mace/cpu/ukernels/gemm/gemm_16bit_arm.h"
#include "mace/cpu/ukernels/gemm/gemm_packed_tiles.h"

namespace mace::cpu {
namespace {

constexpr size_t kMaxRows = 8, kColumns = 16;
constexpr size_t kStep = 8;  // consecutive k of a row that are adjacent

// acc = a * b over k, a multiple of kStep, for all rows. v16..v31 accumulate,
// v0..v7 hold eight k of each row, and rows of b alternate between v8..v11 and
// v12..v15. It is assembly because GCC 12 copies each lane to a register of its
// own, and then has to spill.
inline void MultiplySteps(const float16_t* a, const float16_t* b, size_t k,
                          float16x8_t (&acc)[kMaxRows][2]) {
  asm volatile(R"(
    .macro mace_row lane, b0, b1
      fmla v16.8h, v\b0\().8h, v0.h[\lane]
      fmla v17.8h, v\b1\().8h, v0.h[\lane]
      fmla v18.8h, v\b0\().8h, v1.h[\lane]
      fmla v19.8h, v\b1\().8h, v1.h[\lane]
      fmla v20.8h, v\b0\().8h, v2.h[\lane]
      fmla v21.8h, v\b1\().8h, v2.h[\lane]
      fmla v22.8h, v\b0\().8h, v3.h[\lane]
      fmla v23.8h, v\b1\().8h, v3.h[\lane]
      fmla v24.8h, v\b0\().8h, v4.h[\lane]
      fmla v25.8h, v\b1\().8h, v4.h[\lane]
      fmla v26.8h, v\b0\().8h, v5.h[\lane]
      fmla v27.8h, v\b1\().8h, v5.h[\lane]
      fmla v28.8h, v\b0\().8h, v6.h[\lane]
      fmla v29.8h, v\b1\().8h, v6.h[\lane]
      fmla v30.8h, v\b0\().8h, v7.h[\lane]
      fmla v31.8h, v\b1\().8h, v7.h[\lane]
    .endm
    .irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
      movi v\i\().8h, #0
    .endr
    mov x3, %[acc]
  1:
    ld1 {v0.8h, v1.8h, v2.8h, v3.8h}, [%[a]], #64
    ld1 {v8.8h, v9.8h, v10.8h, v11.8h}, [%[b]], #64
    ld1 {v4.8h, v5.8h, v6.8h, v7.8h}, [%[a]], #64
    subs %[k], %[k], #8
    mace_row 0, 8, 9
    ld1 {v12.8h, v13.8h, v14.8h, v15.8h}, [%[b]], #64
    mace_row 1, 10, 11
    mace_row 2, 12, 13
    ld1 {v8.8h, v9.8h, v10.8h, v11.8h}, [%[b]], #64
    mace_row 3, 14, 15
    mace_row 4, 8, 9
    ld1 {v12.8h, v13.8h, v14.8h, v15.8h}, [%[b]], #64
    mace_row 5, 10, 11
    mace_row 6, 12, 13
    mace_row 7, 14, 15
    b.ne 1b
    st1 {v16.8h, v17.8h, v18.8h, v19.8h}, [x3], #64
    st1 {v20.8h, v21.8h, v22.8h, v23.8h}, [x3], #64
    st1 {v24.8h, v25.8h, v26.8h, v27.8h}, [x3], #64
    st1 {v28.8h, v29.8h, v30.8h, v31.8h}, [x3]
    .purgem mace_row
  )"
               : [a] "+r"(a), [b] "+r"(b), [k] "+r"(k)
               : [acc] "r"(&acc)
               : "x3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
                 "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
                 "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
                 "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

// acc = a * b over k, in one block.
template <int kRows>
inline void MultiplyBlock(const float16_t* a, const float16_t* b, size_t k,
                          float16x8_t (&acc)[kRows][2]) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = vdupq_n_f16(0);
  size_t whole = 0;
  if constexpr (kRows == kMaxRows) {
    whole = k / kStep * kStep;
    if (whole > 0) MultiplySteps(a, b, whole, acc);
  }
  a += whole * kRows;
  b += whole * kColumns;
  k -= whole;
  for (size_t i = 0; i < k; ++i, b += kColumns) {
    const float16_t* step = a + i / kStep * kStep * kRows + i % kStep;
    const float16x8_t b0 = vld1q_f16(b), b1 = vld1q_f16(b + 8);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float16x8_t av = vld1q_dup_f16(step + r * kStep);
      acc[r][0] = vfmaq_f16(acc[r][0], b0, av);
      acc[r][1] = vfmaq_f16(acc[r][1], b1, av);
    }
  }
}

// Adds the products of the block that begins at depth k to c. One function for
// all heights of tiles: it runs once for 256 steps of the loop above.
__attribute__((noinline)) void AddBlock(const float16x8_t (*acc)[2], int rows,
                                        size_t k, size_t depth, GemmF16Tile t) {
  const bool last = k + depth == t->k;
  const float lower = last ? t->lower : -__builtin_inff();
  const float upper = last ? t->upper : __builtin_inff();
  for (int r = 0; r < rows; ++r) {
    float* c = t.c() + r * t->c_stride;
    const simd::F32 sums[4] = {
        vcvt_f32_f16(vget_low_f16(acc[r][0])), vcvt_high_f32_f16(acc[r][0]),
        vcvt_f32_f16(vget_low_f16(acc[r][1])), vcvt_high_f32_f16(acc[r][1])};
    const float* start = k > 0 ? c : t.bias();
    const float* addend = k == 0 && t.addend() != nullptr
                              ? t.addend() + r * t->addend_stride
                              : nullptr;
    if (t->n == kColumns) {
      AddRow(sums, start, addend, kColumns, lower, upper, c);
    } else {
      AddRow(sums, start, addend, t->n, lower, upper, c);
    }
  }
}

template <int kRows>
void Multiply(GemmF16Tile t) {
  const auto* a = reinterpret_cast<const float16_t*>(t.a());
  const auto* b = reinterpret_cast<const float16_t*>(t.b());
  for (size_t k = 0; k < t->k; k += kF16Block) {
    const size_t depth = t->k - k < kF16Block ? t->k - k : kF16Block;
    float16x8_t acc[kRows][2];
    MultiplyBlock(a + k * kRows, b + k * kColumns, depth, acc);
    AddBlock(acc, kRows, k, depth, t);
  }
}

// Calls the instance for exactly m rows.
template <int kRows>
void Dispatch(GemmF16Tile t) {
  if constexpr (kRows > 1) {
    if (t->m < kRows) return Dispatch<kRows - 1>(t);
  }
  Multiply<kRows>(t);
}

}  // namespace

void gemm_f16_8x16__fp16(GemmF16Tile tile) {
  ForEachTile<kMaxRows, kStep>(tile, Dispatch<kMaxRows>);
}

}  // namespace mace::cpu
