// Products of a state with packed recurrent weights.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/recurrent/state_gemm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/choose_gemm.h"

namespace mace::cpu {
namespace {

// Products of fewer multiply-adds than this cost a thread more to begin than
// they save it.
constexpr int64_t kWorthSharing = 512 * 1024;

// Returns the micro-kernel with the widest panels. A state has few rows, often
// one, whose sums would wait for their own results: only more columns make more
// of them.
const GemmUkernel& WidestGemm(const CpuContext& context) {
  const GemmUkernel* widest = &BestGemm(kGemmF32, context.features);
  for (const GemmUkernel& row : kGemm) {
    const bool fits = row.types == kGemmF32 && row.isa == widest->isa;
    if (fits && row.nr > widest->nr && PassesTest(row)) widest = &row;
  }
  return *widest;
}

}  // namespace

Result<StateGemm> StateGemm::Create(const Operand& operand, const char* how,
                                    const std::vector<int64_t>& parts,
                                    CpuContext& context) {
  StateGemm product;
  const Shape& shape = operand.type.shape;
  const int64_t n = shape[1], k = shape[2];
  product.k_ = k;
  product.num_parts_ = static_cast<int64_t>(parts.size());
  for (int64_t d = 0; d < shape[0]; ++d) {
    int64_t first = d * n;
    for (const int64_t columns : parts) {
      GemmB b;
      b.offset = first * k;
      b.n = columns;
      b.column_stride = k;
      b.channels = k;
      b.channel_stride = 1;
      product.matrices_.push_back(b);
      first += columns;
    }
  }
  if (context.reference) return product;
  product.kernel_ = &WidestGemm(context);
  MACE_ASSIGN_OR_RETURN(product.packed_,
                        PackedB::Create(operand, how, *product.kernel_,
                                        product.matrices_, context));
  return product;
}

const void* StateGemm::Get(const void* data, void* scratch) const {
  return kernel_ == nullptr ? data : packed_.Get(data, scratch);
}

void StateGemm::Multiply(const void* matrices, int64_t direction, int64_t part,
                         const StateRows& rows, ThreadPool* threads) const {
  const auto i = static_cast<size_t>(direction * num_parts_ + part);
  const int64_t n = matrices_[i].n;
  const auto* floats = static_cast<const float*>(matrices);
  if (kernel_ == nullptr) {
    return MultiplyPlainly(floats + matrices_[i].offset, n, rows);
  }
  const float* matrix = floats + packed_.offset(i);
  const int64_t panels = (n + kernel_->nr - 1) / kernel_->nr;
  if (threads == nullptr || rows.rows * n * k_ < kWorthSharing) {
    return MultiplyPanels(matrix, n, rows, 0, panels);
  }
  const int64_t share =
      (panels + threads->num_threads() - 1) / threads->num_threads();
  threads->ParallelFor(static_cast<size_t>(panels), static_cast<size_t>(share),
                       [&](size_t begin, size_t end) {
                         MultiplyPanels(matrix, n, rows,
                                        static_cast<int64_t>(begin),
                                        static_cast<int64_t>(end));
                       });
}

void StateGemm::MultiplyPanels(const float* matrix, int64_t n,
                               const StateRows& rows, int64_t first,
                               int64_t end) const {
  const int64_t nr = kernel_->nr;
  GemmTile tile = {};
  tile.k = static_cast<size_t>(k_);
  tile.segments = 1;
  tile.a_stride = rows.a_stride;
  tile.c_stride = tile.addend_stride = rows.c_stride;
  tile.lower = -INFINITY;
  tile.upper = INFINITY;
  for (int64_t p = first; p < end; ++p) {
    const int64_t column = p * nr;
    tile.n = static_cast<size_t>(std::min(nr, n - column));
    tile.b = matrix + column * k_;
    tile.bias = rows.bias != nullptr ? rows.bias + column : nullptr;
    for (int64_t r = 0; r < rows.rows; r += kernel_->mr) {
      const int64_t m = std::min<int64_t>(kernel_->mr, rows.rows - r);
      const int64_t at = r * rows.c_stride + column;
      tile.m = static_cast<size_t>(m);
      tile.a = rows.a + r * rows.a_stride;
      tile.c = rows.c + at;
      tile.addend = rows.addend != nullptr ? rows.addend + at : nullptr;
      kernel_->fn(tile);
    }
  }
}

void StateGemm::MultiplyPlainly(const float* matrix, int64_t n,
                                const StateRows& rows) const {
  for (int64_t r = 0; r < rows.rows; ++r) {
    const float* a = rows.a + r * rows.a_stride;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t at = r * rows.c_stride + j;
      double sum = rows.bias != nullptr ? rows.bias[j] : 0;
      for (int64_t k = 0; k < k_; ++k) {
        sum += static_cast<double>(a[k]) * matrix[j * k_ + k];
      }
      if (rows.addend != nullptr) sum += rows.addend[at];
      rows.c[at] = static_cast<float>(sum);
    }
  }
}

}  // namespace mace::cpu
