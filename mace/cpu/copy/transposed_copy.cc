// Transposing block by block.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/transposed_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/cache_sizes.h"
#include "mace/cpu/copy/odometer.h"
#include "mace/cpu/simd/transpose_4x4.h"

namespace mace {
namespace {

using cpu::CeilDiv;

constexpr int64_t kTile = 32;   // most rows and columns of a block
constexpr int64_t kNarrow = 8;  // a side that is too short for blocks
constexpr int64_t kTransposedCopyTaskBytes = 1
                                             << 15;  // too little for a thread

// A part of a matrix whose rows are contiguous in src and whose columns are
// contiguous in dst: element (i, j) moves from src + i * sizeof(T) + j *
// src_stride to dst + i * dst_stride + j * sizeof(T).
struct Block {
  const char* src;
  char* dst;
  int64_t src_stride, dst_stride;
  int64_t rows, cols;
};

using BlockFn = void(const Block& block);

// Copies one element at a time, along the longer side.
template <typename T>
void CopyElements(const Block& b) {
  constexpr int64_t kSize = sizeof(T);
  if (b.cols < b.rows) {
    for (int64_t j = 0; j < b.cols; ++j) {
      const char* src = b.src + j * b.src_stride;
      char* dst = b.dst + j * kSize;
      for (int64_t i = 0; i < b.rows; ++i) {
        std::memcpy(dst + i * b.dst_stride, src + i * kSize, kSize);
      }
    }
    return;
  }
  for (int64_t i = 0; i < b.rows; ++i) {
    const char* src = b.src + i * kSize;
    char* dst = b.dst + i * b.dst_stride;
    for (int64_t j = 0; j < b.cols; ++j) {
      std::memcpy(dst + j * kSize, src + j * b.src_stride, kSize);
    }
  }
}

// Moves the elements of vector registers of 16 bytes.
template <typename T>
struct Vector {
  static constexpr int64_t kBytes = 16, kLanes = kBytes / sizeof(T);
  typedef T Type __attribute__((vector_size(kBytes)));
  using Lanes = std::make_integer_sequence<int, static_cast<int>(kLanes)>;

  // Writes the elements of the first halves of two rows in turns, or with
  // kHalf = 1 those of the second halves.
  template <int kHalf, int... kLane>
  static void Interleave(const char* src, const char* other, char* dst,
                         std::integer_sequence<int, kLane...>) {
    Type x, y;
    std::memcpy(&x, src, kBytes);
    std::memcpy(&y, other, kBytes);
    const Type z = __builtin_shufflevector(
        x, y, ((kHalf * kLanes + kLane) / 2 + kLane % 2 * kLanes)...);
    std::memcpy(dst, &z, kBytes);
  }
  // Writes the elements at even places of two adjacent vectors, or with kOdd =
  // 1 those at odd places.
  template <int kOdd, int... kLane>
  static void Separate(const char* src, char* dst,
                       std::integer_sequence<int, kLane...>) {
    Type x, y;
    std::memcpy(&x, src, kBytes);
    std::memcpy(&y, src + kBytes, kBytes);
    const Type z = __builtin_shufflevector(x, y, (2 * kLane + kOdd)...);
    std::memcpy(dst, &z, kBytes);
  }
};

// Calls copy(i) for vectors of n elements that begin at i. The last vector ends
// with the elements, so that it may copy some of them again. REQUIRES: there is
// a whole vector.
template <typename T, typename F>
void ForEachVector(int64_t n, const F& copy) {
  constexpr int64_t kLanes = Vector<T>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) copy(i);
  if (i < n) copy(n - kLanes);
}

// Interleaves two columns, as a channel shuffle does.
template <typename T>
void InterleaveTwo(const Block& b) {
  using V = Vector<T>;
  constexpr int64_t kSize = sizeof(T);
  ForEachVector<T>(b.rows, [&b](int64_t i) {
    const char* src = b.src + i * kSize;
    char* dst = b.dst + i * 2 * kSize;
    V::template Interleave<0>(src, src + b.src_stride, dst,
                              typename V::Lanes());
    V::template Interleave<1>(src, src + b.src_stride, dst + V::kBytes,
                              typename V::Lanes());
  });
}

// The opposite of InterleaveTwo: separates two interleaved columns into rows.
template <typename T>
void SeparateTwo(const Block& b) {
  using V = Vector<T>;
  constexpr int64_t kSize = sizeof(T);
  ForEachVector<T>(b.cols, [&b](int64_t j) {
    const char* src = b.src + j * 2 * kSize;
    char* dst = b.dst + j * kSize;
    V::template Separate<0>(src, dst, typename V::Lanes());
    V::template Separate<1>(src, dst + b.dst_stride, typename V::Lanes());
  });
}

// Copies pairs by vectors, and returns whether the block is pairs.
template <typename T>
bool CopiesPairs(const Block& b) {
  constexpr int64_t kSize = sizeof(T), kLanes = Vector<T>::kLanes;
  if (b.cols == 2 && b.dst_stride == 2 * kSize && b.rows >= kLanes) {
    InterleaveTwo<T>(b);
    return true;
  }
  if (b.rows == 2 && b.src_stride == 2 * kSize && b.cols >= kLanes) {
    SeparateTwo<T>(b);
    return true;
  }
  return false;
}

template <typename T>
void CopyPairsOrElements(const Block& b) {
  if (!CopiesPairs<T>(b)) CopyElements<T>(b);
}

// Interleaves three columns, as when the color planes of an image become
// pixels.
void InterleaveThree(const Block& b) {
  int64_t i = 0;
  for (; i + 4 <= b.rows; i += 4) {
    const char* src = b.src + i * 4;
    const Four x = LoadFour(src), y = LoadFour(src + b.src_stride);
    const Four z = LoadFour(src + 2 * b.src_stride);
    const Four xy_lo = __builtin_shufflevector(x, y, 0, 4, 1, 5);
    const Four xy_hi = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    const Four yz = __builtin_shufflevector(y, z, 1, 5, 1, 5);
    char* dst = b.dst + i * 12;
    StoreFour(dst, __builtin_shufflevector(xy_lo, z, 0, 1, 4, 2));
    StoreFour(dst + 16, __builtin_shufflevector(yz, xy_hi, 0, 1, 4, 5));
    StoreFour(dst + 32, __builtin_shufflevector(xy_hi, z, 6, 2, 3, 7));
  }
  CopyElements<uint32_t>(
      {b.src + i * 4, b.dst + i * 12, b.src_stride, 12, b.rows - i, 3});
}

// The opposite of InterleaveThree: separates three interleaved columns into
// rows.
void SeparateThree(const Block& b) {
  int64_t j = 0;
  for (; j + 4 <= b.cols; j += 4) {
    const char* src = b.src + j * 12;
    const Four p = LoadFour(src), q = LoadFour(src + 16);
    const Four r = LoadFour(src + 32);
    // Takes two elements from each of two vectors at a time, which is one
    // instruction.
    const Four x_lo = __builtin_shufflevector(p, q, 0, 3, 6, 6);
    const Four x_hi = __builtin_shufflevector(q, r, 2, 2, 5, 5);
    const Four y_lo = __builtin_shufflevector(p, q, 1, 1, 4, 4);
    const Four y_hi = __builtin_shufflevector(q, r, 3, 3, 6, 6);
    const Four z_lo = __builtin_shufflevector(p, q, 2, 2, 5, 5);
    char* dst = b.dst + j * 4;
    StoreFour(dst, __builtin_shufflevector(x_lo, x_hi, 0, 1, 4, 6));
    StoreFour(dst + b.dst_stride,
              __builtin_shufflevector(y_lo, y_hi, 0, 2, 4, 6));
    StoreFour(dst + 2 * b.dst_stride,
              __builtin_shufflevector(z_lo, r, 0, 2, 4, 7));
  }
  CopyElements<uint32_t>(
      {b.src + j * 12, b.dst + j * 4, 12, b.dst_stride, 3, b.cols - j});
}

void CopyBlocksOf4x4(const Block& b) {
  if (CopiesPairs<uint32_t>(b)) return;
  if (b.cols == 3 && b.dst_stride == 12) return InterleaveThree(b);
  if (b.rows == 3 && b.src_stride == 12) return SeparateThree(b);
  const int64_t rows = b.rows & ~int64_t{3}, cols = b.cols & ~int64_t{3};
  const auto copy = [&b](int64_t i, int64_t j) {
    Transpose4x4(b.src + i * 4 + j * b.src_stride, b.src_stride,
                 b.dst + i * b.dst_stride + j * 4, b.dst_stride);
  };
  // Lines of a matrix that compete for four sets of the first-level cache are
  // touched a few at a time.
  static const int64_t conflict = cpu::DetectCacheSizes().way_bytes() / 4;
  if (b.src_stride % conflict == 0 && b.dst_stride % conflict != 0) {
    for (int64_t j = 0; j < cols; j += 4) {
      for (int64_t i = 0; i < rows; i += 4) copy(i, j);
    }
  } else {
    for (int64_t i = 0; i < rows; i += 4) {
      for (int64_t j = 0; j < cols; j += 4) copy(i, j);
    }
  }
  CopyElements<uint32_t>({b.src + rows * 4, b.dst + rows * b.dst_stride,
                          b.src_stride, b.dst_stride, b.rows - rows, b.cols});
  CopyElements<uint32_t>({b.src + cols * b.src_stride, b.dst + cols * 4,
                          b.src_stride, b.dst_stride, rows, b.cols - cols});
}

BlockFn* BlockFnOf(int64_t elem_bytes) {
  switch (elem_bytes) {
    case 1:
      return CopyPairsOrElements<uint8_t>;
    case 2:
      return CopyPairsOrElements<uint16_t>;
    case 4:
      return CopyBlocksOf4x4;
    case 8:
      return CopyElements<uint64_t>;
  }
  return nullptr;
}

// Returns a dimension that is contiguous in src, if the last one is contiguous
// in dst, else -1.
int RowDim(const CopyBox& box) {
  const int last = static_cast<int>(box.dims.size()) - 1;
  if (box.dims[last].dst_stride != box.run_bytes) return -1;
  for (int d = 0; d < last; ++d) {
    if (box.dims[d].src_stride == box.run_bytes) return d;
  }
  return -1;
}

// The dimensions of a box except its row dimension and its last one.
struct OuterDims {
  OuterDims(const CopyBox& box, int row_dim) {
    for (int d = 0; d + 1 < static_cast<int>(box.dims.size()); ++d) {
      if (d == row_dim) continue;
      dims[num_dims++] = box.dims[d];
      count *= box.dims[d].extent;
    }
  }

  CopyDim dims[Odometer::kMaxDims];
  int num_dims = 0;
  int64_t count = 1;
};

}  // namespace

bool CopyTransposed(const CopyBox& box, const char* src, char* dst,
                    ThreadPool* threads) {
  const int row_dim = RowDim(box);
  BlockFn* const copy_block = BlockFnOf(box.run_bytes);
  if (row_dim < 0 || copy_block == nullptr) return false;
  const CopyDim row = box.dims[row_dim], col = box.dims.back();
  const OuterDims outer(box, row_dim);

  // A block is square, unless one side is too short: then it is longer along
  // the other.
  const int64_t rows = std::min(
      row.extent, col.extent <= kNarrow ? kTile * kTile / kNarrow : kTile);
  const int64_t cols = std::min(
      col.extent, row.extent <= kNarrow ? kTile * kTile / kNarrow : kTile);
  const int64_t row_blocks = CeilDiv(row.extent, rows);
  const int64_t col_blocks = CeilDiv(col.extent, cols);
  const int64_t blocks = row_blocks * col_blocks;
  threads->ParallelFor(
      outer.count * blocks,
      CeilDiv(kTransposedCopyTaskBytes, rows * cols * box.run_bytes),
      [&](size_t begin, size_t end) {
        Odometer at(outer.dims, outer.num_dims,
                    static_cast<int64_t>(begin) / blocks);
        int64_t in_matrix = static_cast<int64_t>(begin) % blocks;
        for (size_t u = begin; u < end; ++u) {
          const int64_t i = in_matrix / col_blocks * rows;
          const int64_t j = in_matrix % col_blocks * cols;
          copy_block({src + at.src + i * row.src_stride + j * col.src_stride,
                      dst + at.dst + i * row.dst_stride + j * col.dst_stride,
                      col.src_stride, row.dst_stride,
                      std::min(rows, row.extent - i),
                      std::min(cols, col.extent - j)});
          if (++in_matrix == blocks) {
            in_matrix = 0;
            at.Next();
          }
        }
      });
  return true;
}

}  // namespace mace
