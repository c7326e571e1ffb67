// The function of matrix-product micro-kernels, c = clamp(a * b + bias +
// addend), and how a table describes one.
// SPDX-License-Identifier: Apache-2.0
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
// `b` is packed in panels of nr columns, those from n on being anything finite.
// With g = packing.group, element (k, j) of a panel is element
// ((k / g) * nr + j) * g + k % g of it; the last group is filled with zeros.
//
// Types are stated once, by the functions: a row of the table takes them from
// the arguments of its functions, and a table row for other types than those
// that a file defines does not link. Strides and sizes count elements.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "mace/cpu/simd/element.h"

namespace mace::cpu {

// A tile, or several packed ones. The driver fills it in for any types.
struct GemmTile {
  size_t m;  // rows of c, in [1, mr]; if packed, any number
  size_t n;  // columns of c, in [1, nr]
  size_t k;  // elements per segment, > 0
  size_t segments;
  const void* a;
  ptrdiff_t a_stride;        // between rows
  ptrdiff_t segment_stride;  // between segments of a row
  const void* b;
  void* c;
  ptrdiff_t c_stride;  // between rows
  // n elements of c's type; null: zeros, but not for sums of integers
  const void* bias;
  // [m, n] elements of c's type; null: zeros. Either c itself or disjoint from
  // c.
  const void* addend;
  ptrdiff_t addend_stride;  // between rows
  // The bounds of the result. Sums of integers are not clamped.
  float lower, upper;
  // Whether `a` was written by a GemmPackFn, one tile after the other. Only the
  // last tile may have fewer rows.
  bool a_packed = false;
};

// A tile with the types of its micro-kernel. Products are accumulated in Acc.
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

using GemmF32Tile = GemmTileOf<float, float, float, float>;
using GemmBf16Tile = GemmTileOf<Bf16, Bf16, float, float>;
using GemmF16Tile = GemmTileOf<Fp16, Fp16, float, Fp16>;
using GemmF16RowsTile = GemmTileOf<Fp16, Fp16, Fp16, Fp16>;

// Writes m x n elements. Reads nothing beyond the extents above.
template <typename Tile>
using GemmFn = void(Tile tile);

// At most mr rows to be packed. Row i is `segments` runs of k elements from
// rows[i] on, `segment_stride` elements apart.
struct GemmUnpacked {
  size_t m;
  size_t k;
  size_t segments;
  const void* const* rows;
  ptrdiff_t segment_stride;
};
constexpr int kGemmMaxRows = 16;  // most rows of any tile

// The same with elements of type X.
template <typename X>
class GemmUnpackedOf {
 public:
  explicit GemmUnpackedOf(const GemmUnpacked& rows) : rows_(&rows) {}

  const GemmUnpacked* operator->() const { return rows_; }
  const X* row(size_t i) const { return static_cast<const X*>(rows_->rows[i]); }

 private:
  const GemmUnpacked* rows_;
};

// Packs the rows of a tile as A, and returns the end of what it wrote. Needs
// space for at most mr rows, each rounded up to a multiple of packing.k_tile
// elements. If the depth of rows is such a multiple, more of their elements may
// be packed right behind. Packing pays off only if the rows are multiplied with
// many panels of b.
template <typename X, typename A>
using GemmPackFn = A*(GemmUnpackedOf<X> rows, A* to);

// How operands are packed.
struct GemmPacking {
  int group = 1;   // consecutive k of a column of b that are adjacent
  int k_tile = 1;  // packed rows are padded to a multiple of it
  int k_step = 1;  // k may be divided at multiples of it only
  // Of quantized values (gemm_q8.h): b is padded with zeros to a multiple of
  // k_pad, its elements are at least b_min, and packing reads rows in steps.
  int k_pad = 1;
  int b_min = -128;
  bool takes_steps = false;
};

struct GemmTypes {
  Element x;  // type of rows before they are packed
  Element a, b, c;
  Element acc;

  // The type of results: that of rows, if their sums are requantized.
  constexpr Element y() const { return c == Element::kI32 ? x : c; }
  constexpr bool operator==(const GemmTypes& o) const {
    return x == o.x && a == o.a && b == o.b && c == o.c && acc == o.acc;
  }
};

// The supported combinations of types.
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
  kNever,
  kWhereItPays,  // the micro-kernel reads unpacked rows, too
  kAlways,
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_H_
