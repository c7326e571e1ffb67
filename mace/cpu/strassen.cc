// Packing, blocking and running Strassen products.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/strassen.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/choose.h"
#include "mace/cpu/tasks.h"

namespace mace::cpu {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Floats of a, c and their sums in a block: half a 1 MiB second-level cache.
constexpr int64_t kBlockFloats = 128 * 1024;
// Half a panel of b streams from the second-level cache.
constexpr int64_t kMaxDepth = 4096;
// Rows whose distance is a multiple of this many bytes compete for the same
// few sets of the first-level cache.
constexpr int64_t kSetConflictBytes = 2048;

// A multiple of cache lines, an odd number of them.
int64_t SpreadOverSets(int64_t floats) {
  return (CeilDiv(floats, 16) | 1) * 16;
}

// The order of b's seven sums within a panel.
enum Product { kB11, kB21, kT1, kT2, kT3, kB22, kT4, kNumProducts };

}  // namespace

struct StrassenGemm::Block {
  ConvGemm::Operands at;
  int64_t m;  // pairs
  float* copies = nullptr;
  float* sum = nullptr;
  float* w = nullptr;
};

bool StrassenGemm::Fits(const ConvGemm::Spec& spec) {
  const int64_t depth = spec.patches.depth();
  return spec.parts.size() == 1 && spec.patches.rows() > 1 && depth > 0 &&
         depth % 2 == 0 && depth <= kMaxDepth && spec.n % 2 == 0 &&
         spec.kernel->operands.bytes == sizeof(float);
}

StrassenGemm::StrassenGemm(const ConvGemm::Spec& spec,
                           const CpuContext& context)
    : spec_(spec),
      finish_(spec.activation, spec.sum_activation, context.features),
      add_(ChooseRow(kBinaryF32, context.features).set->add),
      subtract_(ChooseRow(kBinaryF32, context.features).set->subtract),
      num_threads_(spec.one_thread ? 1 : context.threads->num_threads()),
      rows_(spec.patches.rows()),
      k_(spec.patches.depth() / 2),
      n_(spec.n / 2),
      packs_rows_(spec.kernel->pack != nullptr) {
  const int64_t row_bytes = spec.patches.pixel_stride * 4;
  reads_in_place_ = !packs_rows_ && spec.patches.is_matrix() &&
                    row_bytes % kSetConflictBytes != 0;
  a_stride_ = SpreadOverSets(k_);
  c_stride_ = SpreadOverSets(n_);
  const int64_t mr = spec.kernel->mr;
  const int64_t most =
      std::max<int64_t>(kBlockFloats / (3 * k_ + 3 * n_) / mr, 1) * mr;
  const int64_t blocks =
      CeilDiv(CeilDiv(num_pairs(), most), num_threads_) * num_threads_;
  block_ = std::max<int64_t>(CeilDiv(num_pairs(), blocks), 1);
  // Packed rows fill whole tiles, or half of one.
  if (packs_rows_) block_ = CeilDiv(block_, mr / 2) * (mr / 2);
  SetMaxPairs(block_);
}

void StrassenGemm::SetMaxPairs(int64_t max_pairs) {
  max_pairs_ = max_pairs;
  const int64_t quarters = reads_in_place_ ? 1 : 5;
  const int64_t parts = rows_ % 2 == 0 ? 2 : 3;
  scratch_floats_ = quarters * QuarterFloats(max_pairs) +
                    (packs_rows_ ? spec_.kernel->mr * a_stride_ : 0) +
                    parts * max_pairs * c_stride_;
}

int64_t StrassenGemm::QuarterFloats(int64_t pairs) const {
  if (!packs_rows_) return pairs * a_stride_;
  const int64_t mr = spec_.kernel->mr;
  return SpreadOverSets(CeilDiv(pairs, mr) * mr * k_);
}

int64_t StrassenGemm::PackedFloats(const GemmF32& kernel, int64_t n,
                                   int64_t k) {
  return kNumProducts * cpu::PackedFloats(kernel, n / 2, k / 2);
}

void StrassenGemm::Pack(const GemmF32& kernel, const GemmB& b,
                        const float* data, float* packed, ThreadPool* threads) {
  GemmB left = b, right = b;
  left.n = right.n = b.n / 2;
  right.offset += right.n * b.column_stride;
  const int64_t block = b.k() / 2 * kernel.nr;
  const int64_t panels = CeilDiv(left.n, kernel.nr);
  threads->ParallelFor(panels, 1, [&](size_t begin, size_t end) {
    for (size_t j = begin; j < end; ++j) {
      float* to = packed + j * kNumProducts * block;
      const auto at = [&](Product product) { return to + product * block; };
      // The quarters b11 and b21, then b12 and b22 where t3 will be.
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
  return "strassen " + std::string(spec_.kernel->name) +
         (packs_rows_       ? " packing rows"
          : reads_in_place_ ? " in place"
                            : " copying rows");
}

void StrassenGemm::Run(ThreadPool* threads, const ConvGemm::Operands& operands,
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

// Columns [k0, k0 + k) of m rows, packed tile by tile.
void StrassenGemm::FindPacked(const float* x, int64_t x_row, int64_t m,
                              int64_t k0, float* to, float* row_copies) const {
  const int64_t mr = spec_.kernel->mr;
  for (int64_t i = 0; i < m; i += mr, to += mr * k_) {
    const int64_t rows = std::min(mr, m - i);
    GemmF32Rows tile = {
        static_cast<size_t>(rows), static_cast<size_t>(k_), 1, nullptr, 0, 0};
    if (spec_.patches.is_matrix()) {
      tile.a_stride = spec_.patches.pixel_stride;
      tile.a = x + (x_row + i) * tile.a_stride + k0;
    } else {
      spec_.patches.Copy(x, x_row + i, rows, k0, k0 + k_, row_copies,
                         a_stride_);
      tile.a_stride = a_stride_;
      tile.a = row_copies;
    }
    spec_.kernel->pack(tile, to);
  }
}

void StrassenGemm::FindQuarters(const Block& block, int64_t x_row,
                                Quarter* left, Quarter* right,
                                float* to) const {
  const float* x = block.at.x;
  if (reads_in_place_) {
    const int64_t stride = spec_.patches.pixel_stride;
    *left = {x + x_row * stride, stride};
    *right = {left->at + k_, stride};
    return;
  }
  float* next = to + QuarterFloats(max_pairs_);
  *left = {to, a_stride_};
  *right = {next, a_stride_};
  if (packs_rows_) {
    FindPacked(x, x_row, block.m, 0, to, block.copies);
    FindPacked(x, x_row, block.m, k_, next, block.copies);
    return;
  }
  spec_.patches.Copy(x, x_row, block.m, 0, k_, to, a_stride_);
  spec_.patches.Copy(x, x_row, block.m, k_, 2 * k_, next, a_stride_);
}

StrassenGemm::Quarter StrassenGemm::Sum(BinaryF32Fn* f, const Block& block,
                                        const Quarter& a,
                                        const Quarter& b) const {
  BinaryF32Args args = {};
  args.lower = -INFINITY;
  args.upper = INFINITY;
  int64_t rows = block.m;
  args.n = k_;
  if (packs_rows_) {  // a tile of few rows is half as high
    const int64_t mr = spec_.kernel->mr, rest = rows % mr;
    const int64_t height = rest > mr / 2 ? mr : rest > 0 ? mr / 2 : 0;
    args.n = (rows / mr * mr + height) * k_;
    rows = 1;
  }
  for (int64_t i = 0; i < rows; ++i) {
    args.a = a.at + i * a.stride;
    args.b = b.at + i * b.stride;
    args.y = block.sum + i * a_stride_;
    f(args);
  }
  return {block.sum, a_stride_};
}

void StrassenGemm::AddOutputs(const Block& block, const Output& u, int64_t m,
                              bool activate, const Output& to) const {
  const ActivationFunction& activation = spec_.activation;
  BinaryF32Args args = {};
  args.n = n_;
  args.lower = activate ? activation.lower() : -INFINITY;
  args.upper = activate ? activation.upper() : INFINITY;
  for (int64_t i = 0; i < m; ++i) {
    args.a = u.at + i * u.stride;
    args.b = block.w + i * c_stride_;
    args.y = to.at + i * to.stride;
    add_(args);
  }
}

void StrassenGemm::Multiply(const Block& block, const Quarter& a, int product,
                            const float* bias, const Output* addend, int64_t m,
                            bool activate, const Output& to) const {
  const int64_t nr = spec_.kernel->nr, panel = nr * k_;
  const int64_t height = packs_rows_ ? m : spec_.kernel->mr;
  const int64_t tiles = CeilDiv(m, height);
  GemmF32Tile t = {};
  t.k = k_;
  t.segments = 1;
  t.a_stride = a.stride;
  t.b = block.at.b + product * panel;
  t.c_stride = to.stride;
  t.a_packed = packs_rows_;
  t.lower = activate ? spec_.activation.lower() : -INFINITY;
  t.upper = activate ? spec_.activation.upper() : INFINITY;
  if (addend != nullptr) t.addend_stride = addend->stride;
  for (int64_t j = 0; j < n_; j += nr, t.b += kNumProducts * panel) {
    t.n = std::min(nr, n_ - j);
    t.bias = bias != nullptr ? bias + j : nullptr;
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t row = m * i / tiles;  // tiles of about one height
      t.m = m * (i + 1) / tiles - row;
      t.a = a.at + row * a.stride;
      t.c = to.at + row * to.stride + j;
      t.addend =
          addend != nullptr ? addend->at + row * addend->stride + j : nullptr;
      spec_.kernel->fn(t);
    }
  }
}

void StrassenGemm::RunPairs(const ConvGemm::Operands& operands,
                            const Rows& first, const Rows& second,
                            void* thread_scratch) const {
  const int64_t m = second.count, stride = spec_.pixel_stride;
  const int64_t quarter = QuarterFloats(max_pairs_);
  auto* next = static_cast<float*>(thread_scratch);
  const auto take = [&next](int64_t floats) {
    float* taken = next;
    next += floats;
    return taken;
  };
  Block block = {operands, m};
  block.sum = take(quarter);
  float* quarters = take(reads_in_place_ ? 0 : 4 * quarter);
  block.copies = take(packs_rows_ ? spec_.kernel->mr * a_stride_ : 0);
  block.w = take(max_pairs_ * c_stride_);
  const Output u = {take(max_pairs_ * c_stride_), c_stride_};
  const Output w = {block.w, c_stride_};
  Quarter a11, a12, a21, a22;
  FindQuarters(block, first.x_row, &a11, &a12, quarters);
  FindQuarters(block, second.x_row, &a21, &a22, quarters + 2 * quarter);

  float *y1 = operands.y + first.y_row * stride,
        *y2 = operands.y + second.y_row * stride;
  const Output c11 = {y1, stride}, c12 = {y1 + n_, stride};
  const Output c21 = {y2, stride}, c22 = {y2 + n_, stride};
  // Rows of which the last is not written pass through a copy.
  const bool all = first.count == m;
  const Output v = {take(all ? 0 : max_pairs_ * c_stride_), c_stride_};
  const float* bias1 = operands.bias;
  const float* bias2 = bias1 != nullptr ? bias1 + n_ : nullptr;

  Multiply(block, a11, kB11, nullptr, nullptr, m, false, w);
  Multiply(block, a12, kB21, bias1, &w, m, true, all ? c11 : v);
  if (!all) CopyRows(v, first.count, c11);
  Quarter s = Sum(add_, block, a21, a22);
  Multiply(block, s, kT1, bias2, nullptr, m, false, u);
  s = Sum(subtract_, block, s, a11);
  Multiply(block, s, kT2, nullptr, &w, m, false, w);
  const Output& sums = all ? c12 : v;
  AddOutputs(block, u, m, false, sums);
  s = Sum(subtract_, block, a12, s);
  Multiply(block, s, kB22, nullptr, &sums, m, true, sums);
  if (!all) CopyRows(v, first.count, c12);
  s = Sum(subtract_, block, a11, a21);
  Multiply(block, s, kT3, nullptr, &w, m, false, w);
  AddOutputs(block, u, m, true, c22);
  Multiply(block, a22, kT4, bias1, &w, m, true, c21);
  Finish(operands, first);
  Finish(operands, second);
}

void StrassenGemm::CopyRows(const Output& from, int64_t m,
                            const Output& to) const {
  for (int64_t i = 0; i < m; ++i) {
    std::copy_n(from.at + i * from.stride, n_, to.at + i * to.stride);
  }
}

void StrassenGemm::Finish(const ConvGemm::Operands& at,
                          const Rows& rows) const {
  if (!finish_.Needed(at.addend != nullptr)) return;
  const int64_t offset = rows.y_row * spec_.pixel_stride;
  finish_.Run(rows.count, spec_.n, spec_.pixel_stride,
              at.addend != nullptr ? at.addend + offset : nullptr,
              at.y + offset);
}

}  // namespace mace::cpu
