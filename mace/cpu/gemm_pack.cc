// Packing for GEMM.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm_pack.h"

#include <algorithm>

namespace mace::cpu {
namespace {

int64_t NumPanels(const GemmF32& kernel, int64_t n) {
  return (n + kernel.nr - 1) / kernel.nr;
}

// A block of channels small enough that its columns, which are read across,
// stay in the first-level cache.
constexpr int64_t kChannelBlock = 16;

void PackPanel(const GemmF32& kernel, const GemmB& b, const float* tensor,
               int64_t panel, float* packed) {
  const int64_t nr = kernel.nr;
  const int64_t first = panel * nr;
  const int64_t columns = std::min(nr, b.n - first);
  for (const int64_t tap : b.taps) {
    const float* data = tensor + b.offset + tap + first * b.column_stride;
    for (int64_t c0 = 0; c0 < b.channels; c0 += kChannelBlock) {
      const int64_t c1 = std::min(c0 + kChannelBlock, b.channels);
      for (int64_t j = 0; j < columns; ++j) {
        const float* column = data + j * b.column_stride;
        for (int64_t c = c0; c < c1; ++c) {
          packed[c * nr + j] = column[c * b.channel_stride];
        }
      }
      for (int64_t c = c0; c < c1; ++c) {
        std::fill(packed + c * nr + columns, packed + (c + 1) * nr, 0.f);
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
  if (constant_ != nullptr) return static_cast<float*>(constant_->data());
  Pack(data, static_cast<float*>(scratch));
  return static_cast<float*>(scratch);
}

void PackedB::Pack(const float* data, float* packed) const {
  for (size_t i = 0; i < matrices_.size(); ++i) {
    PackB(*kernel_, matrices_[i], data, packed + offsets_[i], threads_);
  }
}

}  // namespace mace::cpu
