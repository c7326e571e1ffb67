// Strided copies: merged dimensions and contiguous runs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "mace/base/sort.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/copy/odometer.h"
#include "mace/cpu/copy/transposed_copy.h"

namespace mace {
namespace {

using cpu::CeilDiv;

constexpr int64_t kStridedCopyTaskBytes = 1 << 15;  // too little for a thread

struct Bytes16 {
  uint64_t part[2];
};

// Copies n elements of type T from src to dst. A memcpy of constant size is one
// load or store, and assumes nothing about alignment.
template <typename T>
void CopyRow(const char* src, int64_t src_stride, char* dst, int64_t dst_stride,
             int64_t n) {
  if (src_stride == 0 && dst_stride == static_cast<int64_t>(sizeof(T))) {
    T v;
    std::memcpy(&v, src, sizeof(T));
    for (int64_t k = 0; k < n; ++k) {
      std::memcpy(dst + k * sizeof(T), &v, sizeof(T));
    }
    return;
  }
  for (int64_t k = 0; k < n; ++k) {
    std::memcpy(dst + k * dst_stride, src + k * src_stride, sizeof(T));
  }
}

// Copies n runs that are longer than a T and at most as long as two: two Ts
// each, of which the second ends where the run ends.
template <typename T>
void CopyRowOfPairs(const char* src, int64_t src_stride, char* dst,
                    int64_t dst_stride, int64_t n, int64_t run) {
  const int64_t second = run - static_cast<int64_t>(sizeof(T));
  for (int64_t k = 0; k < n; ++k, src += src_stride, dst += dst_stride) {
    T a, b;
    std::memcpy(&a, src, sizeof(T));
    std::memcpy(&b, src + second, sizeof(T));
    std::memcpy(dst, &a, sizeof(T));
    std::memcpy(dst + second, &b, sizeof(T));
  }
}

// Copies n longer runs: one T after another, and a last one that ends where the
// run ends.
template <typename T>
void CopyRowOfMany(const char* src, int64_t src_stride, char* dst,
                   int64_t dst_stride, int64_t n, int64_t run) {
  constexpr int64_t kSize = sizeof(T);
  for (int64_t k = 0; k < n; ++k, src += src_stride, dst += dst_stride) {
    for (int64_t i = 0; i < run - kSize; i += kSize) {
      std::memcpy(dst + i, src + i, sizeof(T));
    }
    std::memcpy(dst + run - kSize, src + run - kSize, sizeof(T));
  }
}

// Copying runs of at most this length by 16 bytes takes less time than calling
// memcpy.
constexpr int64_t kShortRun = 128;

void CopyRowOfRuns(const char* src, int64_t src_stride, char* dst,
                   int64_t dst_stride, int64_t n, int64_t run) {
  switch (run) {
    case 1:
      return CopyRow<uint8_t>(src, src_stride, dst, dst_stride, n);
    case 2:
      return CopyRow<uint16_t>(src, src_stride, dst, dst_stride, n);
    case 4:
      return CopyRow<uint32_t>(src, src_stride, dst, dst_stride, n);
    case 8:
      return CopyRow<uint64_t>(src, src_stride, dst, dst_stride, n);
    case 16:
      return CopyRow<Bytes16>(src, src_stride, dst, dst_stride, n);
  }
  if (run > 4 && run < 8) {
    return CopyRowOfPairs<uint32_t>(src, src_stride, dst, dst_stride, n, run);
  }
  if (run > 8 && run < 16) {
    return CopyRowOfPairs<uint64_t>(src, src_stride, dst, dst_stride, n, run);
  }
  if (run > 16 && run <= 32) {
    return CopyRowOfPairs<Bytes16>(src, src_stride, dst, dst_stride, n, run);
  }
  if (run > 32 && run <= kShortRun) {
    return CopyRowOfMany<Bytes16>(src, src_stride, dst, dst_stride, n, run);
  }
  for (int64_t k = 0; k < n; ++k) {
    std::memcpy(dst + k * dst_stride, src + k * src_stride,
                static_cast<size_t>(run));
  }
}

bool SamePlace(const CopyBox& box) {
  for (const CopyDim& d : box.dims) {
    if (d.src_stride != d.dst_stride) return false;
  }
  return true;
}

}  // namespace

int64_t CopyBox::bytes() const {
  int64_t n = run_bytes;
  for (const CopyDim& d : dims) n *= d.extent;
  return n;
}

std::vector<int64_t> DenseStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

CopyBox MakeBox(size_t elem_bytes, const Shape& extents,
                const std::vector<int64_t>& src_strides, int64_t src_offset,
                const std::vector<int64_t>& dst_strides, int64_t dst_offset) {
  const int64_t size = static_cast<int64_t>(elem_bytes);
  CopyBox box;
  box.run_bytes = size;
  box.src_offset = src_offset * size;
  box.dst_offset = dst_offset * size;
  for (size_t d = 0; d < extents.size(); ++d) {
    box.dims.push_back(
        {extents[d], src_strides[d] * size, dst_strides[d] * size});
  }
  return box;
}

CopyBox FillBox(const TensorType& type) {
  CopyBox box = MakeBox(SizeOf(type.dtype), type.shape,
                        std::vector<int64_t>(type.shape.size(), 0), 0,
                        DenseStrides(type.shape), 0);
  box.input = CopyBox::kFill;
  return box;
}

CopyBox Simplify(CopyBox box) {
  if (box.bytes() == 0) {
    box.dims = {};
    box.run_bytes = 0;
    return box;
  }
  // Writes go in order of address.
  StableSort(&box.dims, [](const CopyDim& a, const CopyDim& b) {
    return a.dst_stride > b.dst_stride;
  });
  std::vector<CopyDim> dims;
  for (const CopyDim& d : box.dims) {
    if (d.extent == 1) continue;
    if (!dims.empty() && dims.back().src_stride == d.src_stride * d.extent &&
        dims.back().dst_stride == d.dst_stride * d.extent) {
      dims.back() = {dims.back().extent * d.extent, d.src_stride, d.dst_stride};
    } else {
      dims.push_back(d);
    }
  }
  if (!dims.empty() && dims.back().src_stride == box.run_bytes &&
      dims.back().dst_stride == box.run_bytes) {
    box.run_bytes *= dims.back().extent;
    dims.pop_back();
  }
  box.dims = std::move(dims);
  return box;
}

void CopyNaive(const CopyBox& box, const void* src, void* dst) {
  const int64_t count = box.run_bytes == 0 ? 0 : box.bytes() / box.run_bytes;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = box.src_offset, to = box.dst_offset, rest = i;
    for (size_t d = box.dims.size(); d-- > 0;) {
      from += rest % box.dims[d].extent * box.dims[d].src_stride;
      to += rest % box.dims[d].extent * box.dims[d].dst_stride;
      rest /= box.dims[d].extent;
    }
    std::memcpy(static_cast<char*>(dst) + to,
                static_cast<const char*>(src) + from,
                static_cast<size_t>(box.run_bytes));
  }
}

void CopyStrided(const CopyBox& box, const void* src_base, void* dst_base,
                 ThreadPool* threads) {
  if (box.run_bytes == 0) return;
  const char* src = static_cast<const char*>(src_base) + box.src_offset;
  char* dst = static_cast<char*>(dst_base) + box.dst_offset;
  if (src == dst && SamePlace(box)) return;
  const int num_dims = static_cast<int>(box.dims.size());
  if (num_dims > Odometer::kMaxDims) return CopyNaive(box, src_base, dst_base);

  if (num_dims == 0) {
    threads->ParallelFor(box.run_bytes, kStridedCopyTaskBytes * 4,
                         [&](size_t begin, size_t end) {
                           std::memcpy(dst + begin, src + begin, end - begin);
                         });
    return;
  }
  if (CopyTransposed(box, src, dst, threads)) return;
  // A task is a part of a row: one index of the outer dimensions and up to
  // `chunk` of the last one.
  const CopyDim last = box.dims[num_dims - 1];
  const int64_t chunk = std::min(
      last.extent, std::max<int64_t>(1, kStridedCopyTaskBytes / box.run_bytes));
  const int64_t chunks = CeilDiv(last.extent, chunk);
  const int64_t rows = box.bytes() / (last.extent * box.run_bytes);
  threads->ParallelFor(
      rows * chunks,
      std::max<int64_t>(1, kStridedCopyTaskBytes / (chunk * box.run_bytes)),
      [&](size_t begin, size_t end) {
        Odometer at(box.dims.data(), num_dims - 1, begin / chunks);
        int64_t c = static_cast<int64_t>(begin) % chunks;
        for (size_t u = begin; u < end; ++u) {
          const int64_t k = c * chunk;
          CopyRowOfRuns(src + at.src + k * last.src_stride, last.src_stride,
                        dst + at.dst + k * last.dst_stride, last.dst_stride,
                        std::min(chunk, last.extent - k), box.run_bytes);
          if (++c == chunks) {
            c = 0;
            at.Next();
          }
        }
      });
}

}  // namespace mace
