// Packs operands, and computes Strassen products in blocks.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/strassen.h"

#include <algorithm>
#include <cmath>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/gemm/outliers.h"

namespace mace::cpu {
namespace {

constexpr int kStrassenMaxColumns = 64;  // columns of a GEMM tile

// The seven products, in the order of the sums of b within a panel.
enum StrassenProduct { kB11, kB21, kT1, kT2, kT3, kB22, kT4, kNumProducts };

}  // namespace

// A block of pairs: the quarters of a, and memory for the sums of one panel of
// c.
struct StrassenGemm::Block {
  Operands at;
  Rows first, second;
  Quarter a[kNumProducts];  // operand a of each product
  float *w, *u, *v;
  int64_t m() const { return second.count; }
};

bool StrassenGemm::Fits(const ConvGemm::Spec& spec, const CacheSizes& caches) {
  const int64_t depth = spec.patches.depth();
  return spec.parts.size() == 1 && spec.patches.rows() > 1 && depth > 0 &&
         depth % 2 == 0 && depth <= BlocksOf(caches).strassen_depth &&
         spec.n % 2 == 0 && spec.kernel->types == kGemmF32;
}

StrassenGemm::StrassenGemm(const ConvGemm::Spec& spec,
                           const CpuContext& context)
    : spec_(spec),
      finish_(spec.activation, spec.sum_activation, context.features),
      add_(ChooseRow(kBinaryAddF32, context.features).set->run),
      subtract_(ChooseRow(kBinarySubtractF32, context.features).set->run),
      magnitude_(ChooseRow(kMagnitudeF32, context.features).fn),
      num_threads_(spec.one_thread ? 1 : context.threads->num_threads()),
      rows_(spec.patches.rows()),
      k_(spec.patches.depth() / 2),
      n_(spec.n / 2),
      packs_rows_(spec.kernel->packs != GemmPacks::kNever) {
  const Blocks blocks = BlocksOf(context.caches);
  const int64_t row_bytes = spec.patches.pixel_stride * 4;
  reads_in_place_ = !packs_rows_ && spec.patches.is_matrix() &&
                    !RowsConflict(*spec.kernel, row_bytes, spec.n, blocks);
  a_stride_ = SpreadOverSets(k_);
  const int64_t mr = spec.kernel->mr;
  const int64_t most =
      std::max<int64_t>(blocks.strassen_rows / (32 * k_) / mr, 1) * mr;
  const int64_t tasks =
      CeilDiv(CeilDiv(num_pairs(), most), num_threads_) * num_threads_;
  block_ = std::max<int64_t>(CeilDiv(num_pairs(), tasks), 1);
  // Packed rows fill whole tiles, or half a tile.
  if (packs_rows_) block_ = CeilDiv(block_, mr / 2) * (mr / 2);
  SetMaxPairs(block_);
}

void StrassenGemm::SetMaxPairs(int64_t max_pairs) {
  max_pairs_ = max_pairs;
  const int64_t quarters = reads_in_place_ ? 4 : 8;
  scratch_floats_ = quarters * QuarterFloats(max_pairs) + RowCopyFloats() +
                    3 * max_pairs * spec_.kernel->nr;
}

int64_t StrassenGemm::RowCopyFloats() const {
  return packs_rows_ ? spec_.kernel->mr * a_stride_ : 0;
}

int64_t StrassenGemm::QuarterFloats(int64_t pairs) const {
  if (!packs_rows_) return pairs * a_stride_;
  const int64_t mr = spec_.kernel->mr;
  return SpreadOverSets(CeilDiv(pairs, mr) * mr * k_);
}

int64_t StrassenGemm::PackedFloats(const GemmUkernel& kernel, int64_t n,
                                   int64_t k) {
  return kNumProducts * PackedElements(kernel, n / 2, k / 2);
}

void StrassenGemm::Pack(const GemmUkernel& kernel, const GemmB& b,
                        const float* data, float* packed, ThreadPool* threads) {
  GemmB left = b, right = b;
  left.n = right.n = b.n / 2;
  right.offset += right.n * b.column_stride;
  const int64_t block = b.k() / 2 * kernel.nr;
  const int64_t panels = CeilDiv(left.n, kernel.nr);
  threads->ParallelFor(panels, 1, [&](size_t begin, size_t end) {
    for (size_t j = begin; j < end; ++j) {
      float* to = packed + j * kNumProducts * block;
      const auto at = [&](StrassenProduct product) {
        return to + product * block;
      };
      // Packs the quarters b11 and b21, and, where t3 will be, b12 and b22.
      PackPanel(kernel, left, data, j, at(kB11));
      PackPanel(kernel, right, data, j, at(kT3));
      for (int64_t i = 0; i < block; ++i) {
        const float b12 = at(kT3)[i], b22 = at(kB22)[i];
        const float t1 = b12 - at(kB11)[i];
        const float t2 = b22 - t1;
        at(kT1)[i] = t1;
        at(kT2)[i] = t2;
        at(kT3)[i] = b22 - b12;
        at(kT4)[i] = at(kB21)[i] - t2;
      }
    }
  });
}

std::string StrassenGemm::variant() const {
  return StrCat("strassen ", spec_.kernel->name,
                packs_rows_       ? " packing rows"
                : reads_in_place_ ? " in place"
                                  : " copying rows");
}

void StrassenGemm::Run(ThreadPool* threads, const Operands& operands,
                       void* scratch) const {
  const int64_t pairs = num_pairs(), half = rows_ / 2;
  RunTasks(threads, CeilDiv(pairs, block_), [&](size_t worker, size_t index) {
    const int64_t i = static_cast<int64_t>(index) * block_;
    const int64_t m = std::min(block_, pairs - i);
    const int64_t shared = i + m == pairs ? rows_ % 2 : 0;
    RunPairs(operands, {i, i, m - shared}, {i + half, i + half, m},
             static_cast<float*>(scratch) + worker * scratch_floats_);
  });
}

// Packs columns [k0, k0 + k_) of m rows, tile by tile.
bool StrassenGemm::FindPacked(const float* x, int64_t x_row, int64_t m,
                              int64_t k0, float* to, float* row_copies) const {
  const int64_t mr = spec_.kernel->mr;
  bool has_outlier = false;
  for (int64_t i = 0; i < m; i += mr, to += mr * k_) {
    const int64_t rows = std::min(mr, m - i);
    const float* from = row_copies;
    int64_t stride = a_stride_;
    if (spec_.patches.is_matrix()) {
      stride = spec_.patches.pixel_stride;
      from = x + (x_row + i) * stride + k0;
    } else {
      spec_.patches.Copy(x, sizeof(float), x_row + i, rows, k0, k0 + k_,
                         row_copies, a_stride_);
    }
    has_outlier |= AnyOutlier(from, stride, rows);
    const void* at[kGemmMaxRows];
    for (int64_t r = 0; r < rows; ++r) at[r] = from + r * stride;
    spec_.kernel->pack(
        {static_cast<size_t>(rows), static_cast<size_t>(k_), 1, at, 0}, to);
  }
  return has_outlier;
}

bool StrassenGemm::AnyOutlier(const float* rows, int64_t stride,
                              int64_t m) const {
  for (int64_t i = 0; i < m; ++i) {
    const float* const row = rows + i * stride;
    if (HasOutlier(magnitude_({1, static_cast<size_t>(k_), &row}), k_)) {
      return true;
    }
  }
  return false;
}

bool StrassenGemm::FindQuarters(const float* x, int64_t x_row, int64_t m,
                                float* to, float* row_copies, Quarter* left,
                                Quarter* right) const {
  if (reads_in_place_) {
    const int64_t stride = spec_.patches.pixel_stride;
    *left = {x + x_row * stride, stride};
    *right = {left->at + k_, stride};
    return AnyOutlier(left->at, stride, m) || AnyOutlier(right->at, stride, m);
  }
  float* next = to + QuarterFloats(max_pairs_);
  *left = {to, a_stride_};
  *right = {next, a_stride_};
  if (packs_rows_) {
    const bool in_left = FindPacked(x, x_row, m, 0, to, row_copies);
    return FindPacked(x, x_row, m, k_, next, row_copies) || in_left;
  }
  spec_.patches.Copy(x, sizeof(float), x_row, m, 0, k_, to, a_stride_);
  spec_.patches.Copy(x, sizeof(float), x_row, m, k_, 2 * k_, next, a_stride_);
  return AnyOutlier(to, a_stride_, m) || AnyOutlier(next, a_stride_, m);
}

StrassenGemm::Quarter StrassenGemm::Sum(BinaryF32Fn* f, int64_t m,
                                        const Quarter& a, const Quarter& b,
                                        float* to) const {
  BinaryF32Args args = {};
  args.lower = -INFINITY;
  args.upper = INFINITY;
  args.n = k_;
  if (packs_rows_) {  // a tile of few rows is packed as half a tile
    const int64_t mr = spec_.kernel->mr, rest = m % mr;
    const int64_t height = rest > mr / 2 ? mr : rest > 0 ? mr / 2 : 0;
    args.n = (m / mr * mr + height) * k_;
    m = 1;
  }
  for (int64_t i = 0; i < m; ++i) {
    args.a = a.at + i * a.stride;
    args.b = b.at + i * b.stride;
    args.y = to + i * a_stride_;
    f(args);
  }
  return {to, a_stride_};
}

void StrassenGemm::AddRows(int64_t m, int64_t n, const float* a, const float* b,
                           bool activate, const Output& to) const {
  BinaryF32Args args = {};
  args.lower = activate ? spec_.activation.lower() : -INFINITY;
  args.upper = activate ? spec_.activation.upper() : INFINITY;
  args.n = n;
  if (to.stride == n) {
    args.n = m * n;
    m = 1;
  }
  for (int64_t i = 0; i < m; ++i) {
    args.a = a + i * n;
    args.b = b + i * n;
    args.y = to.at + i * to.stride;
    add_(args);
  }
}

void StrassenGemm::Multiply(const Block& block, int product, int64_t column,
                            const float* bias, const float* addend,
                            bool activate, const Output& to) const {
  const int64_t nr = spec_.kernel->nr, panel = nr * k_, m = block.m();
  const int64_t tiles = packs_rows_ ? 1 : CeilDiv(m, spec_.kernel->mr);
  const Quarter& a = block.a[product];
  GemmTile t = {};
  t.n = std::min(nr, n_ - column);
  t.k = k_;
  t.segments = 1;
  t.a_stride = a.stride;
  t.b = block.at.b + (column / nr * kNumProducts + product) * panel;
  t.c_stride = to.stride;
  t.bias = bias;
  t.a_packed = packs_rows_;
  t.lower = activate ? spec_.activation.lower() : -INFINITY;
  t.upper = activate ? spec_.activation.upper() : INFINITY;
  t.addend_stride = t.n;
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t row = m * i / tiles;  // tiles of about the same height
    t.m = m * (i + 1) / tiles - row;
    t.a = a.at + row * a.stride;
    t.c = to.at + row * to.stride;
    t.addend = addend != nullptr ? addend + row * t.n : nullptr;
    spec_.kernel->fn(t);
  }
}

void StrassenGemm::RunPanel(const Block& block, int64_t column) const {
  const int64_t m = block.m(), stride = spec_.pixel_stride;
  const int64_t n = std::min<int64_t>(spec_.kernel->nr, n_ - column);
  float* y1 = block.at.y + block.first.y_row * stride + column;
  float* y2 = block.at.y + block.second.y_row * stride + column;
  const Output c11 = {y1, stride}, c12 = {y1 + n_, stride};
  const Output c21 = {y2, stride}, c22 = {y2 + n_, stride};
  const Output w = {block.w, n}, u = {block.u, n}, v = {block.v, n};
  const float* bias = block.at.bias;
  const float* bias1 = bias != nullptr ? bias + column : nullptr;
  const float* bias2 = bias != nullptr ? bias + n_ + column : nullptr;
  // If the last row must not be written, rows are computed in v and copied.
  const bool all = block.first.count == m;

  Multiply(block, kB11, column, nullptr, nullptr, false, w);
  Multiply(block, kB21, column, bias1, w.at, true, all ? c11 : v);
  if (!all) CopyRows(v, block.first.count, n, c11);
  Multiply(block, kT1, column, bias2, nullptr, false, u);
  Multiply(block, kT2, column, nullptr, w.at, false, w);
  AddRows(m, n, u.at, w.at, false, v);
  Multiply(block, kB22, column, nullptr, v.at, true, all ? c12 : v);
  if (!all) CopyRows(v, block.first.count, n, c12);
  Multiply(block, kT3, column, nullptr, w.at, false, w);
  AddRows(m, n, u.at, w.at, true, c22);
  Multiply(block, kT4, column, bias1, w.at, true, c21);
}

void StrassenGemm::RunPairs(const Operands& operands, const Rows& first,
                            const Rows& second, void* thread_scratch) const {
  Block block = {operands, first, second, {}, nullptr, nullptr, nullptr};
  const int64_t m = block.m();
  float* next = static_cast<float*>(thread_scratch);
  const auto take = [&next](int64_t floats) {
    float* taken = next;
    next += floats;
    return taken;
  };
  for (float** c : {&block.w, &block.u, &block.v}) {
    *c = take(max_pairs_ * spec_.kernel->nr);
  }
  float* row_copies = take(RowCopyFloats());
  const int64_t quarter = QuarterFloats(max_pairs_);
  float* copies = take(reads_in_place_ ? 0 : 4 * quarter);
  Quarter a11, a12, a21, a22;
  const bool in_first =
      FindQuarters(operands.x, first.x_row, m, copies, row_copies, &a11, &a12);
  const bool in_second =
      FindQuarters(operands.x, second.x_row, m, copies + 2 * quarter,
                   row_copies, &a21, &a22);
  block.a[kB11] = a11;
  block.a[kB21] = a12;
  block.a[kT4] = a22;
  float* const sums = next;
  const Quarter s1 = Sum(add_, m, a21, a22, take(quarter));
  const Quarter s2 = Sum(subtract_, m, s1, a11, take(quarter));
  block.a[kT1] = s1;
  block.a[kT2] = s2;
  block.a[kT3] = Sum(subtract_, m, a11, a21, take(quarter));
  block.a[kB22] = Sum(subtract_, m, a12, s2, take(quarter));
  for (int64_t j = 0; j < n_; j += spec_.kernel->nr) RunPanel(block, j);
  if (in_first || in_second) ComputeDirectly(block, sums);
  Finish(operands, first);
  Finish(operands, second);
}

void StrassenGemm::ComputeDirectly(const Block& block, float* copies) const {
  for (int64_t i = 0; i < block.m(); ++i) {
    float* rows[2] = {copies, copies + 2 * k_};
    const int64_t x_rows[2] = {block.first.x_row + i, block.second.x_row + i};
    const int64_t y_rows[2] = {block.first.y_row + i, block.second.y_row + i};
    bool has_outlier = false;
    for (int half : {0, 1}) {
      spec_.patches.Copy(block.at.x, sizeof(float), x_rows[half], 1, 0, 2 * k_,
                         rows[half], 2 * k_);
      has_outlier |= AnyOutlier(rows[half], k_, 2);
    }
    if (!has_outlier) continue;
    for (int half : {0, 1}) {
      if (half == 0 && i >= block.first.count) continue;  // of another pair
      ComputeRow(block, rows[half],
                 block.at.y + y_rows[half] * spec_.pixel_stride);
    }
  }
}

// y = a * b + bias, clamped. b12 is found in what is packed, within a unit in
// the last place of b22.
void StrassenGemm::ComputeRow(const Block& block, const float* a,
                              float* y) const {
  const int64_t nr = spec_.kernel->nr, panel = nr * k_;
  float left[kStrassenMaxColumns], right[kStrassenMaxColumns];
  const auto finish = [&](int64_t column, int64_t n, const float* sums) {
    for (int64_t j = 0; j < n; ++j) {
      const float sum =
          sums[j] + (block.at.bias != nullptr ? block.at.bias[column + j] : 0);
      const float above =
          sum < spec_.activation.lower() ? spec_.activation.lower() : sum;
      y[column + j] =
          above > spec_.activation.upper() ? spec_.activation.upper() : above;
    }
  };
  for (int64_t column = 0; column < n_; column += nr) {
    const int64_t n = std::min(nr, n_ - column);
    const float* const b = block.at.b + column / nr * kNumProducts * panel;
    std::fill_n(left, n, 0.f);
    std::fill_n(right, n, 0.f);
    for (int64_t k = 0; k < k_; ++k) {
      const auto at = [&](StrassenProduct product) {
        return b + product * panel + k * nr;
      };
      for (int64_t j = 0; j < n; ++j) {
        const float b22 = at(kB22)[j], b12 = b22 - at(kT3)[j];
        left[j] += a[k] * at(kB11)[j] + a[k_ + k] * at(kB21)[j];
        right[j] += a[k] * b12 + a[k_ + k] * b22;
      }
    }
    finish(column, n, left);
    finish(n_ + column, n, right);
  }
}

void StrassenGemm::CopyRows(const Output& from, int64_t m, int64_t n,
                            const Output& to) {
  for (int64_t i = 0; i < m; ++i) {
    std::copy_n(from.at + i * from.stride, n, to.at + i * to.stride);
  }
}

void StrassenGemm::Finish(const Operands& at, const Rows& rows) const {
  if (!finish_.Needed(at.addend != nullptr)) return;
  const int64_t offset = rows.y_row * spec_.pixel_stride;
  finish_.Run(rows.count, spec_.n, spec_.pixel_stride,
              at.addend != nullptr ? at.addend + offset : nullptr,
              at.y + offset);
}

}  // namespace mace::cpu
