// Strided copies: merged dimensions, contiguous runs, blocked transposes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace mace {
namespace {

constexpr int kMaxDims = 16;   // of a simplified box that is copied fast
constexpr int64_t kTile = 32;  // rows and columns of a transposed block
constexpr int64_t kTaskBytes = 1 << 15;  // less is not worth a thread

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Walks the outer dimensions of a box in order from any start.
class Odometer {
 public:
  Odometer(const CopyDim* dims, int num_dims, int64_t start)
      : dims_(dims), num_dims_(num_dims) {
    for (int d = num_dims - 1; d >= 0; --d) {
      index_[d] = start % dims[d].extent;
      start /= dims[d].extent;
      src += index_[d] * dims[d].src_stride;
      dst += index_[d] * dims[d].dst_stride;
    }
  }

  void Next() {
    for (int d = num_dims_ - 1; d >= 0; --d) {
      src += dims_[d].src_stride;
      dst += dims_[d].dst_stride;
      if (++index_[d] < dims_[d].extent) return;
      src -= dims_[d].extent * dims_[d].src_stride;
      dst -= dims_[d].extent * dims_[d].dst_stride;
      index_[d] = 0;
    }
  }

  int64_t src = 0, dst = 0;

 private:
  const CopyDim* dims_;
  int num_dims_;
  int64_t index_[kMaxDims];
};

struct Bytes16 {
  uint64_t part[2];
};

// n elements T from src to dst; memcpy of a constant size is one load or
// store, and says nothing about alignment.
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
  for (int64_t k = 0; k < n; ++k) {
    std::memcpy(dst + k * dst_stride, src + k * src_stride,
                static_cast<size_t>(run));
  }
}

// A block in which `rows` lie side by side in src and `cols` in dst.
template <typename T>
void CopyTile(const char* src, char* dst, const CopyDim& row,
              const CopyDim& col, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; ++i) {
    const char* s = src + i * row.src_stride;
    char* d = dst + i * row.dst_stride;
    for (int64_t j = 0; j < cols; ++j) {
      std::memcpy(d + j * sizeof(T), s + j * col.src_stride, sizeof(T));
    }
  }
}

// The index of a dimension that is contiguous in src while the last one is
// contiguous in dst, or -1: then a blocked transpose touches each cache line
// of both sides once.
int TransposedDim(const CopyBox& box) {
  const int last = static_cast<int>(box.dims.size()) - 1;
  if (last < 1 || box.dims[last].dst_stride != box.run_bytes) return -1;
  if (box.run_bytes > 8 || (box.run_bytes & (box.run_bytes - 1)) != 0) {
    return -1;
  }
  for (int d = 0; d < last; ++d) {
    if (box.dims[d].src_stride == box.run_bytes) return d;
  }
  return -1;
}

void CopyTransposed(const CopyBox& box, int at, const char* src, char* dst,
                    ThreadPool* threads) {
  const int num_dims = static_cast<int>(box.dims.size());
  const CopyDim row = box.dims[at], col = box.dims[num_dims - 1];
  CopyDim outer[kMaxDims];
  int num_outer = 0;
  int64_t outer_count = 1;
  for (int d = 0; d < num_dims - 1; ++d) {
    if (d == at) continue;
    outer[num_outer++] = box.dims[d];
    outer_count *= box.dims[d].extent;
  }
  const auto tile = box.run_bytes == 1   ? CopyTile<uint8_t>
                    : box.run_bytes == 2 ? CopyTile<uint16_t>
                    : box.run_bytes == 4 ? CopyTile<uint32_t>
                                         : CopyTile<uint64_t>;
  // A unit of work: up to kTile rows, and as many columns as pay for a thread.
  const int64_t rows = std::min(kTile, row.extent);
  const int64_t cols = std::min(
      col.extent, CeilDiv(kTaskBytes, rows * box.run_bytes * kTile) * kTile);
  const int64_t bands = CeilDiv(row.extent, rows);
  const int64_t chunks = CeilDiv(col.extent, cols);
  threads->ParallelFor(
      outer_count * bands * chunks,
      CeilDiv(kTaskBytes, rows * cols * box.run_bytes),
      [&](size_t begin, size_t end) {
        for (size_t u = begin; u < end; ++u) {
          const Odometer at_outer(outer, num_outer, u / (bands * chunks));
          const int64_t i = static_cast<int64_t>(u / chunks % bands) * rows;
          const int64_t first = static_cast<int64_t>(u % chunks) * cols;
          const int64_t last = std::min(col.extent, first + cols);
          const char* s = src + at_outer.src + i * row.src_stride;
          char* d = dst + at_outer.dst + i * row.dst_stride;
          for (int64_t j = first; j < last; j += kTile) {
            tile(s + j * col.src_stride, d + j * col.dst_stride, row, col,
                 std::min(rows, row.extent - i), std::min(kTile, last - j));
          }
        }
      });
}

bool SamePlace(const CopyBox& box) {
  for (const CopyDim& d : box.dims) {
    if (d.src_stride != d.dst_stride) return false;
  }
  return true;
}

class CopyKernel final : public Kernel {
 public:
  CopyKernel(const CpuContext& context, std::vector<CopyBox> boxes,
             const void* fill, bool is_view)
      : threads_(context.threads),
        naive_(context.reference),
        is_view_(is_view),
        boxes_(std::move(boxes)) {
    if (fill != nullptr && !boxes_.empty()) {
      std::memcpy(fill_, fill, static_cast<size_t>(boxes_[0].run_bytes));
    }
    if (naive_) return;
    for (CopyBox& box : boxes_) box = Simplify(std::move(box));
  }

  std::vector<Overlap> overlaps() const override {
    if (is_view_) return {{0, 0}};
    return {};
  }

  Status Run(const RunArgs& args) override {
    for (const CopyBox& box : boxes_) {
      const void* src = box.input == CopyBox::kFill
                            ? static_cast<const void*>(fill_)
                            : args.inputs[box.input].handle;
      void* dst = args.outputs[box.output].handle;
      if (is_view_ && src == dst) continue;
      if (naive_) {
        CopyNaive(box, src, dst);
      } else {
        CopyStrided(box, src, dst, threads_);
      }
    }
    return Status();
  }

 private:
  ThreadPool* threads_;
  bool naive_, is_view_;
  std::vector<CopyBox> boxes_;
  uint64_t fill_[1] = {0};
};

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
  // Write in order of address.
  std::stable_sort(box.dims.begin(), box.dims.end(),
                   [](const CopyDim& a, const CopyDim& b) {
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
  if (num_dims > kMaxDims) return CopyNaive(box, src_base, dst_base);

  if (num_dims == 0) {
    threads->ParallelFor(box.run_bytes, kTaskBytes * 4,
                         [&](size_t begin, size_t end) {
                           std::memcpy(dst + begin, src + begin, end - begin);
                         });
    return;
  }
  if (const int at = TransposedDim(box); at >= 0) {
    return CopyTransposed(box, at, src, dst, threads);
  }
  // A unit of work is a piece of a row: an iteration of the outer dimensions
  // and up to `chunk` of the last.
  const CopyDim last = box.dims[num_dims - 1];
  const int64_t chunk =
      std::min(last.extent, std::max<int64_t>(1, kTaskBytes / box.run_bytes));
  const int64_t chunks = CeilDiv(last.extent, chunk);
  const int64_t rows = box.bytes() / (last.extent * box.run_bytes);
  threads->ParallelFor(
      rows * chunks, std::max<int64_t>(1, kTaskBytes / (chunk * box.run_bytes)),
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

KernelPtr MakeCopyKernel(const CpuContext& context, std::vector<CopyBox> boxes,
                         const void* fill) {
  return std::make_unique<CopyKernel>(context, std::move(boxes), fill, false);
}

Result<KernelPtr> PrepareView(const Node& node, CpuContext& context) {
  CopyBox box;
  box.run_bytes = Bytes(node.inputs[0].type);
  return KernelPtr(std::make_unique<CopyKernel>(
      context, std::vector<CopyBox>{box}, nullptr, true));
}

CpuKernelDefs ForTypes(std::initializer_list<DataType> types,
                       Result<KernelPtr> (*prepare)(const Node&, CpuContext&)) {
  CpuKernelDefs defs;
  for (DataType t : types) defs.push_back({t, prepare});
  return defs;
}

CpuKernelDefs ForAllTypes(Result<KernelPtr> (*prepare)(const Node&,
                                                       CpuContext&)) {
  return ForTypes({DataType::kF32, DataType::kF16, DataType::kBF16,
                   DataType::kI32, DataType::kI64, DataType::kI16,
                   DataType::kI8, DataType::kU8, DataType::kBool},
                  prepare);
}

}  // namespace mace
