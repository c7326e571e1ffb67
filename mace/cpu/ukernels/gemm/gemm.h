// What every matrix-product micro-kernel computes, and how a table describes
// one: c = clamp(a * b + bias + addend).
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
// Types are said once, by the functions: a row of the table takes them from
// the arguments of its functions, and a table row for other types than those
// that a file defines does not link. Strides and sizes count elements.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_H_

#include <cstddef>
#include <cstdint>

#include "mace/cpu/simd/element.h"

namespace mace::cpu {

// A tile, or several packed ones, as a driver fills it in for any types.
struct GemmTile {
  size_t m;  // rows of c, in [1, mr]; any number of packed ones
  size_t n;  // columns of c, in [1, nr]
  size_t k;  // elements per segment, > 0
  size_t segments;
  const void* a;
  ptrdiff_t a_stride;        // between rows
  ptrdiff_t segment_stride;  // between segments of a row
  const void* b;
  void* c;
  ptrdiff_t c_stride;  // between rows
  const void* bias;    // n of c's type; null: zeros
  // m x n of c's type, or null for zeros; c itself or apart from it.
  const void* addend;
  ptrdiff_t addend_stride;  // between rows
  // Bounds of the result; integers are not clamped.
  float lower, upper;
  // a is what GemmPackFn writes, one tile after the other; the last may have
  // fewer rows.
  bool a_packed = false;
};

// A tile as its micro-kernel sees it. Acc: what products are added up in.
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
using GemmI8Tile = GemmTileOf<int8_t, int8_t, int32_t, int32_t>;

// Writes m x n elements. No read beyond the extents above.
template <typename Tile>
using GemmFn = void(Tile tile);

// At most mr rows to pack: row i is `segments` runs of k elements from rows[i]
// on, `segment_stride` apart.
struct GemmUnpacked {
  size_t m;
  size_t k;
  size_t segments;
  const void* const* rows;
  ptrdiff_t segment_stride;
};
constexpr int kGemmMaxRows = 16;  // of a tile

// The same of elements X.
template <typename X>
class GemmUnpackedOf {
 public:
  explicit GemmUnpackedOf(const GemmUnpacked& rows) : rows_(&rows) {}

  const GemmUnpacked* operator->() const { return rows_; }
  const X* row(size_t i) const { return static_cast<const X*>(rows_->rows[i]); }

 private:
  const GemmUnpacked* rows_;
};

// Packs the rows of a tile as A, and returns where they end. Takes the place of
// at most mr rows of a multiple of packing.k_tile elements; rows whose depth is
// such a multiple may be continued behind it. They must pass by many panels of
// b to make up for it.
template <typename X, typename A>
using GemmPackFn = A*(GemmUnpackedOf<X> rows, A* to);

// How operands are packed.
struct GemmPacking {
  size_t group = 1;   // so many k of a column of b lie side by side
  size_t k_tile = 1;  // a packed row is as long as if k were a multiple of it
  size_t k_step = 1;  // where k is cut, it is at a multiple of it
};

struct GemmTypes {
  Element x;  // of rows before they are packed
  Element a, b, c;
  Element acc;

  constexpr bool operator==(const GemmTypes& o) const {
    return x == o.x && a == o.a && b == o.b && c == o.c && acc == o.acc;
  }
};

// The types that are there, by what they are for.
constexpr GemmTypes kGemmF32 = {Element::kF32, Element::kF32, Element::kF32,
                                Element::kF32, Element::kF32};
constexpr GemmTypes kGemmBf16 = {Element::kF32, Element::kBf16, Element::kBf16,
                                 Element::kF32, Element::kF32};
constexpr GemmTypes kGemmF16 = {Element::kF32, Element::kF16, Element::kF16,
                                Element::kF32, Element::kF16};
constexpr GemmTypes kGemmF16Rows = {Element::kF16, Element::kF16, Element::kF16,
                                    Element::kF16, Element::kF16};
constexpr GemmTypes kGemmI8 = {Element::kI8, Element::kI8, Element::kI8,
                               Element::kI32, Element::kI32};

// When rows are packed.
enum class GemmPacks : uint8_t {
  kNever,
  kWhereItPays,  // rows of type x are read as well
  kAlways,
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_H_
