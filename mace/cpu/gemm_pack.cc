// Packing for GEMM.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm_pack.h"

#include <algorithm>
#include <cstring>

#include "mace/cpu/transpose_4x4.h"

namespace mace::cpu {
namespace {

int64_t NumPanels(const GemmF32& kernel, int64_t n) {
  return (n + kernel.nr - 1) / kernel.nr;
}

// Rows of a cache line's floats at a time: their columns, which are read
// across, stay in the first-level cache.
constexpr int64_t kLine = 16;

// Whether each column is one run of floats, its taps side by side.
bool HasDenseColumns(const GemmB& b) {
  const int64_t taps = static_cast<int64_t>(b.taps.size());
  for (int64_t t = 0; t < taps; ++t) {
    if (b.taps[t] != t) return false;
  }
  return b.channel_stride == taps;
}

// Floats [begin, end) of each of `columns` dense columns, from `data` on. Float
// c * taps + t of a column goes to row t * channels + c of the panel.
struct DensePanel {
  const GemmB& b;
  const float* data;
  int64_t columns;
  int64_t nr;
  float* packed;

  float* Row(int64_t i) const {
    const int64_t taps = static_cast<int64_t>(b.taps.size());
    return packed + (i % taps * b.channels + i / taps) * nr;
  }
  void PackOne(int64_t i, int64_t j) const {
    Row(i)[j] = data[j * b.column_stride + i];
  }
  void Pack4x4(int64_t i, int64_t j) const {
    float rows[4][4];
    Transpose4x4(reinterpret_cast<const char*>(data + j * b.column_stride + i),
                 b.column_stride * static_cast<int64_t>(sizeof(float)),
                 reinterpret_cast<char*>(rows), sizeof(rows[0]));
    for (int k = 0; k < 4; ++k) {
      std::memcpy(Row(i + k) + j, rows[k], sizeof(rows[k]));
    }
  }
  void Pack(int64_t begin, int64_t end) const {
    for (int64_t j = 0; j < columns; j += 4) {
      int64_t i = begin;
      if (j + 4 <= columns) {
        for (; i + 4 <= end; i += 4) Pack4x4(i, j);
      }
      for (; i < end; ++i) {
        for (int64_t k = j; k < std::min(j + 4, columns); ++k) PackOne(i, k);
      }
    }
  }
};

void PackPanel(const GemmF32& kernel, const GemmB& b, const float* tensor,
               int64_t panel, float* packed) {
  const int64_t nr = kernel.nr;
  const int64_t first = panel * nr;
  const int64_t columns = std::min(nr, b.n - first);
  if (columns < nr) std::fill_n(packed, b.k() * nr, 0.f);
  const float* data = tensor + b.offset + first * b.column_stride;
  if (HasDenseColumns(b)) {
    const DensePanel dense = {b, data, columns, nr, packed};
    for (int64_t i = 0; i < b.k(); i += kLine) {
      dense.Pack(i, std::min(i + kLine, b.k()));
    }
    return;
  }
  for (const int64_t tap : b.taps) {
    for (int64_t c0 = 0; c0 < b.channels; c0 += kLine) {
      const int64_t c1 = std::min(c0 + kLine, b.channels);
      for (int64_t j = 0; j < columns; ++j) {
        const float* column = data + tap + j * b.column_stride;
        for (int64_t c = c0; c < c1; ++c) {
          packed[c * nr + j] = column[c * b.channel_stride];
        }
      }
    }
    packed += b.channels * nr;
  }
}

}  // namespace

int64_t PackedFloats(const GemmF32& kernel, int64_t n, int64_t k) {
  return NumPanels(kernel, n) * kernel.nr * k;
}

void PackB(const GemmF32& kernel, const GemmB& b, const float* data,
           float* packed, ThreadPool* threads) {
  const int64_t panel_floats = b.k() * kernel.nr;
  const int64_t tile = 65536 / std::max<int64_t>(panel_floats, 1) + 1;
  threads->ParallelFor(
      NumPanels(kernel, b.n), tile, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          PackPanel(kernel, b, data, i, packed + i * panel_floats);
        }
      });
}

Result<PackedB> PackedB::Create(const Operand& operand, const std::string& how,
                                const GemmF32& kernel,
                                std::vector<GemmB> matrices,
                                CpuContext& context) {
  PackedB b;
  b.kernel_ = &kernel;
  b.threads_ = context.threads;
  b.matrices_ = std::move(matrices);
  int64_t total = 0;
  for (const GemmB& matrix : b.matrices_) {
    total += PackedFloats(kernel, matrix.n, matrix.k());
    b.offsets_.push_back(total);
  }
  if (operand.data == nullptr) return b;
  const auto* data = static_cast<const float*>(operand.data);
  MACE_ASSIGN_OR_RETURN(
      b.constant_,
      context.packed->GetOrPack(
          operand.weight_id, how + " for " + kernel.name, total * sizeof(float),
          [&](void* packed) { b.Pack(data, static_cast<float*>(packed)); }));
  return b;
}

int64_t PackedB::scratch_bytes() const {
  if (constant_ != nullptr) return 0;
  return AlignUp(offsets_.back() * static_cast<int64_t>(sizeof(float)),
                 kAlignment);
}

const float* PackedB::Get(const float* data, void* scratch) const {
  if (constant_ != nullptr) return static_cast<const float*>(constant_.get());
  Pack(data, static_cast<float*>(scratch));
  return static_cast<float*>(scratch);
}

void PackedB::Pack(const float* data, float* packed) const {
  for (size_t i = 0; i < matrices_.size(); ++i) {
    PackB(*kernel_, matrices_[i], data, packed + offsets_[i], threads_);
  }
}

}  // namespace mace::cpu
