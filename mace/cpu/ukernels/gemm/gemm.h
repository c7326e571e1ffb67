// The GEMM micro-kernel, which computes a tile c = clamp(a * b + bias +
// addend), and the types with which a table describes it.
// SPDX-License-Identifier: Apache-2.0
//
// A tile keeps its sums in registers while it goes through the depth once: each
// step multiplies one column of a by one row of the panel.
//
//                          n <= nr
//                        +---------+
//                        | panel   |  depth = k * segments
//               depth    | of b    |
//             +-------+  +---------+
//     m <= mr | rows  |  |    c    |
//             | of a  |  | m x n   |
//             +-------+  +---------+
//
// A micro-kernel has no state, allocates nothing and checks nothing. It reports
// no errors: the driver (mace/cpu/gemm/conv_gemm.h) must pass valid sizes.
// Any thread may call it; calls that run at the same time write different
// elements. In float32, a sum starts with its bias, gets the products in the
// order of k and then the addend, whatever m and n are. NaN stays NaN when a
// result is clamped.
//
// The header of a family defines what its members compute, and in which order:
//
//   float32 (this file)        gemm_f32_tile.h, which loops as in
//                              gemm_f32_broadcast.h or gemm_f32_lane.h;
//                              gemm_f32_narrow.h
//   bf16, fp16 -> float32      gemm_16bit.h
//   fp16 -> fp16               gemm_f16_rows.h
//   int8, uint8 -> int32       gemm_q8.h
//   int8, weights in blocks    gemm_blocks.h
//
// A row of `a` is `segments` runs of k elements each, so that a window of an
// image in [H, W, C] layout is a row without being copied:
//
//            k elements   segment_stride
//   row 0   |xxxxxxxx|................|xxxxxxxx|......   segments = 2
//   row 1      |xxxxxxxx|                |xxxxxxxx|      a_stride = 3
//
// Packed rows are one run: k is the whole depth, segments is 1.
//
// `b` is packed in panels of nr columns, of which those from n on may have any
// finite values. gemm_blocks.h has a layout of its own. Elsewhere, with g =
// packing.group, row k and column j of a panel are at offset ((k / g) * nr + j)
// * g + k % g; the last group is filled with zeros. A panel with nr = 4 and g =
// 2:
//
//              column 0   1   2   3
//     k = 0, 1        0 1 2 3 4 5 6 7      the numbers are offsets
//     k = 2, 3        8 9  ...      15
//
// Types are stated once, by the functions: a row of the table takes its types
// from the arguments of its functions. A row with other types than those of the
// function's definition does not link. Strides and sizes count elements.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "mace/cpu/simd/element.h"

namespace mace::cpu {

// A tile, or several packed ones. The driver fills it in for any types; the
// micro-kernel keeps no pointer to it. Operands are aligned to their elements,
// packed ones to 4 bytes at least, and c overlaps none of them but the addend.
struct GemmTile {
  size_t m;  // rows of c, in [1, mr]; if packed, any number (not in gemm_q8.h)
  size_t n;  // columns of c, in [1, nr]; any number for GemmUkernel::row
  size_t k;  // elements per segment, > 0
  // Runs of a row, > 0; the depth is k * segments. 1 if a is packed.
  size_t segments;
  const void* a;
  // Not read if a is packed. Rows may overlap: those of a convolution do.
  ptrdiff_t a_stride;        // between rows
  ptrdiff_t segment_stride;  // between segments of a row
  // The rows of a panel for this depth, of which all nr columns may be read.
  const void* b;
  // The result. Its values before the call matter only if c is the addend. Sums
  // of int8 have a layout of their own, and no c_stride (gemm_q8.h).
  void* c;
  ptrdiff_t c_stride;  // between rows
  // n elements of c's type; null: zeros. For sums of int8: nr elements, never
  // null.
  const void* bias;
  // [m, n] elements of c's type; null: zeros. Either c itself or disjoint from
  // c. If the depth is divided, c holds the sums so far, and is the addend of
  // the next call; bias is then null.
  const void* addend;
  ptrdiff_t addend_stride;  // between rows
  // The bounds of the result, min(max(sum, lower), upper); infinite where there
  // is none. Sums of integers are not clamped.
  float lower, upper;
  // Whether a GemmPackFn wrote `a`, one tile after the other, of which only the
  // last one may have fewer than mr rows. Only micro-kernels with
  // GemmPacks::kWhereItPays read a_packed.
  bool a_packed = false;
};

// A tile with the types of its micro-kernel: a view, which the GemmTile must
// outlive. Acc is the type of the accumulators, which only the table reads.
template <typename A, typename B, typename C, typename Acc>
class GemmTileOf {
 public:
  explicit GemmTileOf(const GemmTile& tile) : tile_(&tile) {}

  const GemmTile* operator->() const { return tile_; }
  const GemmTile& operator*() const { return *tile_; }
  const A* a() const { return static_cast<const A*>(tile_->a); }
  const B* b() const { return static_cast<const B*>(tile_->b); }
  C* c() const { return static_cast<C*>(tile_->c); }
  const C* bias() const { return static_cast<const C*>(tile_->bias); }
  const C* addend() const { return static_cast<const C*>(tile_->addend); }

 private:
  const GemmTile* tile_;
};

// float32 throughout.
using GemmF32Tile = GemmTileOf<float, float, float, float>;
// Rows of float32 that are packed as bf16 or fp16, and float32 results.
using GemmBf16Tile = GemmTileOf<Bf16, Bf16, float, float>;
using GemmF16Tile = GemmTileOf<Fp16, Fp16, float, Fp16>;
// fp16 throughout.
using GemmF16RowsTile = GemmTileOf<Fp16, Fp16, Fp16, Fp16>;

// Computes a tile, or several packed ones. Writes [m, n] elements of c (in
// gemm_q8.h, perhaps all [mr, nr]), and reads none beyond those described
// above: rows at the end of a page are safe.
template <typename Tile>
using GemmFn = void(Tile tile);

// At most mr rows to be packed. Row i is `segments` runs of k elements from
// rows[i] on, `segment_stride` elements apart. The array of m pointers is read
// during the call only. If the depth is divided, the rows of one call have the
// columns of one depth block.
struct GemmUnpacked {
  size_t m;  // in [1, mr]
  size_t k;
  size_t segments;
  const void* const* rows;
  ptrdiff_t segment_stride;
};
// The largest mr of any table: callers size their arrays of rows by it.
constexpr int kGemmMaxRows = 16;

// The same with elements of type X; a view, as GemmTileOf.
template <typename X>
class GemmUnpackedOf {
 public:
  explicit GemmUnpackedOf(const GemmUnpacked& rows) : rows_(&rows) {}

  const GemmUnpacked* operator->() const { return rows_; }
  const X* row(size_t i) const { return static_cast<const X*>(rows_->rows[i]); }

 private:
  const GemmUnpacked* rows_;
};

// Packs the rows of a tile as A, and returns the end of the packed tile, which
// takes at most mr rows, each rounded up to a multiple of packing.k_tile
// elements of X. If A is bf16 or fp16 and the depth of rows is such a multiple,
// a next call may pack further elements of the rows there, as part of the same
// tile. The order of elements is a matter between a micro-kernel and its
// packing; the usual one is [ceil(depth / k_tile)][m][k_tile]. Padding up to
// k_tile may be left unwritten where the micro-kernel ignores it. Packing pays
// off only if the rows are multiplied with many panels of b.
template <typename X, typename A>
using GemmPackFn = A*(GemmUnpackedOf<X> rows, A* to);

// How operands are packed.
struct GemmPacking {
  int group = 1;   // consecutive k of a column of b that are adjacent
  int k_tile = 1;  // the depth of packed rows is padded to a multiple of k_tile
  // The depth may be divided at multiples of k_step only, so that each depth
  // block begins with a group of b. A multiple of `group`.
  int k_step = 1;
  // Of quantized values (gemm_q8.h): b is padded with zeros to a multiple of
  // k_pad, its elements are at least b_min, and if takes_steps, packing also
  // reads rows in steps (GemmRuns::first). In gemm_blocks.h, a b_min of 0 means
  // int8 plus 128.
  int k_pad = 1;
  int b_min = -128;
  bool takes_steps = false;
};

// The types of a product, by which a driver looks up the table. bias and addend
// have the type of c.
struct GemmTypes {
  Element x;  // type of rows before they are packed
  Element a, b, c;
  Element acc;

  // The type of results: x if the sums are int32, which are requantized.
  constexpr Element y() const { return c == Element::kI32 ? x : c; }
  constexpr bool operator==(const GemmTypes& o) const {
    return x == o.x && a == o.a && b == o.b && c == o.c && acc == o.acc;
  }
};

// The supported combinations of types; gemm_blocks.h has those of weights in
// blocks. Those of int8 have x = kQ8, and differ in a: kI8, kU8 or kI16.
constexpr GemmTypes kGemmF32 = {Element::kF32, Element::kF32, Element::kF32,
                                Element::kF32, Element::kF32};
constexpr GemmTypes kGemmBf16 = {Element::kF32, Element::kBf16, Element::kBf16,
                                 Element::kF32, Element::kF32};
constexpr GemmTypes kGemmF16 = {Element::kF32, Element::kF16, Element::kF16,
                                Element::kF32, Element::kF16};
constexpr GemmTypes kGemmF16Rows = {Element::kF16, Element::kF16, Element::kF16,
                                    Element::kF16, Element::kF16};

// Whether rows are packed.
enum class GemmPacks : uint8_t {
  kNever,        // the micro-kernel reads unpacked rows only
  kWhereItPays,  // the micro-kernel reads packed and unpacked rows
  kAlways,       // the micro-kernel reads packed rows only
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_H_
