// The 8x16 GEMM tile from fp16 to fp16 on armv8.2: 16 of 32 registers
// accumulate.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/gemm/gemm_f16_rows.h"

namespace mace::cpu {
namespace {

constexpr size_t kRows = 8, kColumns = 16;
constexpr size_t kBlockSteps = kGemmF16Block / kGemmF16Step;

// The operands of a tile's assembly.
struct Operands {
  const uint16_t* a;
  const uint16_t* b;
  size_t k;
  uint16_t* c;
  const uint16_t* bias;
  const uint16_t* addend;
  size_t stride_bytes;      // between rows of c and addend
  size_t addend_stride;     // in elements, if it differs
  const float16_t* bounds;  // lower and upper
  uint64_t kinds;           // bit 0: clamp from below, bit 1: from above
};

// Computes `count` tiles of kM rows and kVectors * 8 columns, whose packed rows
// are a_fp16 elements apart. v16..v31 accumulate, two of them for each row;
// v0..v7 hold eight k of each row, and rows of b alternate between v8..v11 and
// v12..v15. It is assembly because GCC 12 copies each lane to a register of its
// own, and then has to spill. Two steps are written out for whole tiles and for
// a single row, a vector times a matrix; other rows are the last ones of a
// matrix.
template <int kM, int kVectors>
void Tiles(const Operands& t, size_t count, size_t a_fp16) {
  uint16_t sums[kRows * kColumns];  // sums of the blocks so far
  const uint16_t* addend = t.addend;
  uint16_t* c = t.c;
  for (size_t i = 0; i < count; ++i) {
    const uint16_t *a = t.a + i * a_fp16, *b = t.b;
    size_t steps = t.k / kGemmF16Step, tail = t.k % kGemmF16Step;
    asm volatile(
        R"(
    .macro mace_rows op
      \op 16, 17
      .if %c[m] > 1
      \op 18, 19
      .endif
      .if %c[m] > 2
      \op 20, 21
      .endif
      .if %c[m] > 3
      \op 22, 23
      .endif
      .if %c[m] > 4
      \op 24, 25
      .endif
      .if %c[m] > 5
      \op 26, 27
      .endif
      .if %c[m] > 6
      \op 28, 29
      .endif
      .if %c[m] > 7
      \op 30, 31
      .endif
    .endm
    .macro mace_bias low, high
      mov v\low\().16b, v0.16b
      mov v\high\().16b, v1.16b
    .endm
    .macro mace_zero low, high
      movi v\low\().8h, #0
      movi v\high\().8h, #0
    .endm
    .macro mace_keep low, high
      st1 {v\low\().8h, v\high\().8h}, [x5], #32
    .endm
    .macro mace_add low, high
      fadd v\low\().8h, v\low\().8h, v0.8h
      .if %c[vectors] > 1
      fadd v\high\().8h, v\high\().8h, v1.8h
      .endif
    .endm
    .macro mace_add_kept low, high
      ld1 {v0.8h, v1.8h}, [x5], #32
      mace_add \low, \high
    .endm
    .macro mace_add_addend low, high
      .if %c[vectors] > 1
      ld1 {v0.8h, v1.8h}, [%[addend]], %[stride]
      .else
      ld1 {v0.8h}, [%[addend]], %[stride]
      .endif
      mace_add \low, \high
    .endm
    .macro mace_max low, high
      fmax v\low\().8h, v\low\().8h, v0.8h
      .if %c[vectors] > 1
      fmax v\high\().8h, v\high\().8h, v0.8h
      .endif
    .endm
    .macro mace_min low, high
      fmin v\low\().8h, v\low\().8h, v1.8h
      .if %c[vectors] > 1
      fmin v\high\().8h, v\high\().8h, v1.8h
      .endif
    .endm
    .macro mace_store low, high
      .if %c[vectors] > 1
      st1 {v\low\().8h, v\high\().8h}, [%[c]], %[stride]
      .else
      st1 {v\low\().8h}, [%[c]], %[stride]
      .endif
    .endm
    .macro mace_multiply low, high, row, lane, b0, b1
      fmla v\low\().8h, v\b0\().8h, v\row\().h[\lane]
      .if %c[vectors] > 1
      fmla v\high\().8h, v\b1\().8h, v\row\().h[\lane]
      .endif
    .endm
    .macro mace_k lane, b0, b1
      mace_multiply 16, 17, 0, \lane, \b0, \b1
      .if %c[m] > 1
      mace_multiply 18, 19, 1, \lane, \b0, \b1
      .endif
      .if %c[m] > 2
      mace_multiply 20, 21, 2, \lane, \b0, \b1
      .endif
      .if %c[m] > 3
      mace_multiply 22, 23, 3, \lane, \b0, \b1
      .endif
      .if %c[m] > 4
      mace_multiply 24, 25, 4, \lane, \b0, \b1
      .endif
      .if %c[m] > 5
      mace_multiply 26, 27, 5, \lane, \b0, \b1
      .endif
      .if %c[m] > 6
      mace_multiply 28, 29, 6, \lane, \b0, \b1
      .endif
      .if %c[m] > 7
      mace_multiply 30, 31, 7, \lane, \b0, \b1
      .endif
    .endm
    .macro mace_load_a
      .if %c[m] == 1
      ld1 {v0.8h}, [%[a]], #16
      .elseif %c[m] == 2
      ld1 {v0.8h, v1.8h}, [%[a]], #32
      .elseif %c[m] == 3
      ld1 {v0.8h, v1.8h, v2.8h}, [%[a]], #48
      .else
      ld1 {v0.8h, v1.8h, v2.8h, v3.8h}, [%[a]], #64
      .endif
      .if %c[m] == 5
      ld1 {v4.8h}, [%[a]], #16
      .elseif %c[m] == 6
      ld1 {v4.8h, v5.8h}, [%[a]], #32
      .elseif %c[m] == 7
      ld1 {v4.8h, v5.8h, v6.8h}, [%[a]], #48
      .elseif %c[m] == 8
      ld1 {v4.8h, v5.8h, v6.8h, v7.8h}, [%[a]], #64
      .endif
    .endm
    .macro mace_load_b b0, b1, b2, b3
      .if %c[vectors] > 1
      ld1 {v\b0\().8h, v\b1\().8h, v\b2\().8h, v\b3\().8h}, [%[b]], #64
      .else
      ldr q\b0, [%[b]], #32
      ldr q\b2, [%[b]], #32
      .endif
    .endm
    .macro mace_tail_row low, high
      ld1r {v0.8h}, [x5], x6
      fmla v\low\().8h, v8.8h, v0.8h
      .if %c[vectors] > 1
      fmla v\high\().8h, v9.8h, v0.8h
      .endif
    .endm
    .macro mace_step
      mace_load_a
      mace_load_b 8, 9, 10, 11
      mace_k 0, 8, 9
      mace_load_b 12, 13, 14, 15
      mace_k 1, 10, 11
      mace_k 2, 12, 13
      mace_load_b 8, 9, 10, 11
      mace_k 3, 14, 15
      mace_k 4, 8, 9
      mace_load_b 12, 13, 14, 15
      mace_k 5, 10, 11
      mace_k 6, 12, 13
      mace_k 7, 14, 15
    .endm

      cbz %[bias], 1f
      ld1 {v0.8h, v1.8h}, [%[bias]]
      mace_rows mace_bias
      b 2f
    1:
      mace_rows mace_zero
    2:
      mov x3, #0
    3:
      mov x4, %[block_steps]
      cmp %[steps], x4
      csel x4, %[steps], x4, lo
      subs %[steps], %[steps], x4
      cbz x4, 5f
      .if %c[m] == 1 || %c[m] == 8
      tbz x4, #0, 4f
      mace_step
      subs x4, x4, #1
      b.eq 13f
    4:
      mace_step
      subs x4, x4, #2
      mace_step
      .else
    4:
      mace_step
      subs x4, x4, #1
      .endif
      b.ne 4b
    13:
      cbz %[steps], 5f
      cbz x3, 6f
      mov x5, %[sums]
      mace_rows mace_add_kept
    6:
      mov x5, %[sums]
      mace_rows mace_keep
      mace_rows mace_zero
      mov x3, #1
      b 3b
    5:
      cbz %[tail], 8f
      mov x4, %[a]
      mov x6, #16
    7:
      mov x5, x4
      ld1 {v8.8h, v9.8h}, [%[b]], #32
      mace_rows mace_tail_row
      add x4, x4, #2
      subs %[tail], %[tail], #1
      b.ne 7b
    8:
      cbz x3, 9f
      mov x5, %[sums]
      mace_rows mace_add_kept
    9:
      cbz %[addend], 10f
      mace_rows mace_add_addend
    10:
      ld2r {v0.8h, v1.8h}, [%[bounds]]
      tbz %[kinds], #0, 11f
      mace_rows mace_max
    11:
      tbz %[kinds], #1, 12f
      mace_rows mace_min
    12:
      mace_rows mace_store
    .irp name, rows, bias, zero, keep, add, add_kept, add_addend, max, min, store, multiply, k, load_a, load_b, tail_row, step
    .purgem mace_\name
    .endr
  )"
        : [a] "+r"(a), [b] "+r"(b), [steps] "+r"(steps), [tail] "+r"(tail),
          [c] "+r"(c), [addend] "+r"(addend)
        : [bias] "r"(t.bias), [stride] "r"(t.stride_bytes),
          [bounds] "r"(t.bounds), [kinds] "r"(t.kinds), [sums] "r"(sums),
          [m] "i"(kM), [vectors] "i"(kVectors), [block_steps] "i"(kBlockSteps)
        : "x3", "x4", "x5", "x6", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
          "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
          "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
          "v27", "v28", "v29", "v30", "v31", "cc", "memory");
  }
}

using TilesFn = void(const Operands& t, size_t count, size_t a_fp16);

// Computes tiles of m rows whose columns do not fill the `width` of `tiles`, or
// whose addend has a row stride of its own, by way of a full tile.
void PartialTiles(TilesFn* tiles, size_t m, size_t width, Operands t, size_t n,
                  size_t count, size_t a_fp16) {
  uint16_t to[kRows * kColumns];
  uint16_t* c = t.c;
  const uint16_t* addend = t.addend;
  const size_t stride = t.stride_bytes / sizeof(uint16_t);
  t.c = to;
  t.stride_bytes = kColumns * sizeof(uint16_t);
  for (; count > 0; --count, t.a += a_fp16) {
    if (addend != nullptr) {
      for (size_t r = 0; r < m; ++r, addend += t.addend_stride) {
        for (size_t j = 0; j < width; ++j) {
          to[r * kColumns + j] = j < n ? addend[j] : 0;
        }
      }
      t.addend = to;
    }
    tiles(t, 1, 0);
    for (size_t r = 0; r < m; ++r, c += stride) {
      for (size_t j = 0; j < n; ++j) c[j] = to[r * kColumns + j];
    }
  }
}

bool HasAddendApart(const Operands& t) {
  return t.addend != nullptr &&
         t.addend_stride * sizeof(uint16_t) != t.stride_bytes;
}

// Computes `count` tiles of all rows.
void WholeTiles(const Operands& t, size_t n, size_t count, size_t a_fp16) {
  const size_t width = n > 8 ? kColumns : 8;
  TilesFn* const tiles = n > 8 ? Tiles<kRows, 2> : Tiles<kRows, 1>;
  if (n == width && !HasAddendApart(t)) {
    tiles(t, count, a_fp16);
  } else {
    PartialTiles(tiles, kRows, width, t, n, count, a_fp16);
  }
}

// Computes the last tile, of m rows. There is one in all columns, so that there
// is no code for 8 of them.
void LastTile(const Operands& t, size_t m, size_t n) {
  static constexpr TilesFn* kTiles[] = {Tiles<1, 2>, Tiles<2, 2>, Tiles<3, 2>,
                                        Tiles<4, 2>, Tiles<5, 2>, Tiles<6, 2>,
                                        Tiles<7, 2>};
  TilesFn* const tiles = kTiles[m - 1];
  if (n == kColumns && !HasAddendApart(t)) {
    tiles(t, 1, 0);
  } else {
    PartialTiles(tiles, m, kColumns, t, n, 1, 0);
  }
}

const uint16_t* Bits(const Fp16* p) {
  return reinterpret_cast<const uint16_t*>(p);
}

}  // namespace

void gemm_f16_8x16_rows__fp16(GemmF16RowsTile tile) {
  const float16_t bounds[2] = {static_cast<float16_t>(tile->lower),
                               static_cast<float16_t>(tile->upper)};
  const uint64_t has_lower = tile->lower > -__builtin_inff() ? 1 : 0;
  const uint64_t has_upper = tile->upper < __builtin_inff() ? 2 : 0;
  const uint16_t* bias = Bits(tile.bias());
  uint16_t whole_bias[kColumns] = {};
  if (bias != nullptr && tile->n < kColumns) {
    for (size_t j = 0; j < tile->n; ++j) whole_bias[j] = bias[j];
    bias = whole_bias;
  }
  Operands t = {Bits(tile.a()),
                Bits(tile.b()),
                tile->k,
                reinterpret_cast<uint16_t*>(tile.c()),
                bias,
                Bits(tile.addend()),
                tile->c_stride * sizeof(uint16_t),
                static_cast<size_t>(tile->addend_stride),
                bounds,
                has_lower | has_upper};
  const size_t tile_fp16 =
      (tile->k + kGemmF16Step - 1) / kGemmF16Step * kGemmF16Step * kRows;
  const size_t count = tile->m / kRows, left = tile->m % kRows;
  WholeTiles(t, tile->n, count, tile_fp16);
  if (left == 0) return;
  t.a += count * tile_fp16;
  t.c += count * kRows * tile->c_stride;
  if (t.addend != nullptr) t.addend += count * kRows * tile->addend_stride;
  LastTile(t, left, tile->n);
}

}  // namespace mace::cpu
