// The 4x16 tile of int8 on armv8 without SDOT: pairs of products are added in
// 16 bits, then in 32.
// SPDX-License-Identifier: Apache-2.0
//
// Two products of quantized values fit in 16 bits unless all four are -128:
// this is why elements of b must be at least -127.

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {
namespace {

// v16..v31 accumulate, four registers for each row. LD4R fills v0..v3, and
// v4..v7 for the next two depths, with pairs of depths of four rows. They
// multiply the pairs of columns 0 to 7 and 8 to 15: in v8 and v9, and in v10
// and v11. kUsed is 4, 2 or 1 rows.
template <int kUsed>
inline void Multiply(GemmI8Tile t) {
  const void* a = t.a();
  const int8_t* b = t.b();
  size_t depth = t->k;
  int32_t* sums = t.c();
  asm volatile(
      R"(
    .macro mace_row x, y, r0, r1, r2, r3
      smull v12.8h, v\x\().8b, v8.8b
      smull2 v13.8h, v\x\().16b, v8.16b
      smull v14.8h, v\x\().8b, v9.8b
      smull2 v15.8h, v\x\().16b, v9.16b
      smlal v12.8h, v\y\().8b, v10.8b
      smlal2 v13.8h, v\y\().16b, v10.16b
      smlal v14.8h, v\y\().8b, v11.8b
      smlal2 v15.8h, v\y\().16b, v11.16b
      sadalp v\r0\().4s, v12.8h
      sadalp v\r1\().4s, v13.8h
      sadalp v\r2\().4s, v14.8h
      sadalp v\r3\().4s, v15.8h
    .endm
    .macro mace_four_depths
      ld4r {v0.8h, v1.8h, v2.8h, v3.8h}, [%[a]], #8
      ld1 {v8.16b, v9.16b, v10.16b, v11.16b}, [%[b]], #64
      ld4r {v4.8h, v5.8h, v6.8h, v7.8h}, [%[a]], #8
      mace_row 0, 4, 16, 17, 18, 19
      .if %c[rows] > 1
      mace_row 1, 5, 20, 21, 22, 23
      .endif
      .if %c[rows] > 2
      mace_row 2, 6, 24, 25, 26, 27
      mace_row 3, 7, 28, 29, 30, 31
      .endif
    .endm

    ld1 {v16.4s, v17.4s, v18.4s, v19.4s}, [%[start]]
    .if %c[rows] > 1
    ld1 {v20.4s, v21.4s, v22.4s, v23.4s}, [%[start]]
    .endif
    .if %c[rows] > 2
    ld1 {v24.4s, v25.4s, v26.4s, v27.4s}, [%[start]]
    ld1 {v28.4s, v29.4s, v30.4s, v31.4s}, [%[start]]
    .endif
    subs %[depth], %[depth], #8
    b.lo 2f
  1:
    mace_four_depths
    mace_four_depths
    subs %[depth], %[depth], #8
    b.hs 1b
  2:                            // depth + 8 are left: none or 4
    tbz %[depth], #2, 3f
    mace_four_depths
  3:

    st1 {v16.4s, v17.4s, v18.4s, v19.4s}, [%[sums]], #64
    .if %c[rows] > 1
    st1 {v20.4s, v21.4s, v22.4s, v23.4s}, [%[sums]], #64
    .endif
    .if %c[rows] > 2
    st1 {v24.4s, v25.4s, v26.4s, v27.4s}, [%[sums]], #64
    st1 {v28.4s, v29.4s, v30.4s, v31.4s}, [%[sums]], #64
    .endif
    .purgem mace_row
    .purgem mace_four_depths
  )"
      : [a] "+r"(a), [b] "+r"(b), [depth] "+r"(depth), [sums] "+r"(sums)
      : [start] "r"(t.bias()), [rows] "i"(kUsed)
      : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
        "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
        "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
        "v29", "v30", "v31");
}

}  // namespace

void gemm_q8_4x16__aarch64(GemmI8Tile tile) {
  if (tile->m > 2) return Multiply<4>(tile);
  if (tile->m > 1) return Multiply<2>(tile);
  Multiply<1>(tile);
}

}  // namespace mace::cpu
