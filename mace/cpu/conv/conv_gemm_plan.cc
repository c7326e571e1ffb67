// Divides a convolution's matrix product into blocks.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include "mace/base/cpu_rows.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/gemm/conv_gemm.h"

namespace mace::cpu {
namespace {

constexpr int64_t kLineBytes = 64;  // a line of a cache

}  // namespace

ConvGemm::ConvGemm(const Spec& spec, const CpuContext& context)
    : spec_(spec),
      blocks_(BlocksOf(context.caches)),
      finish_(spec.activation, spec.sum_activation, context.features,
              spec.kernel->types.c),
      num_threads_(spec.one_thread ? 1 : context.threads->num_threads()),
      rows_(spec.patches.rows()),
      depth_(spec.patches.depth()),
      packs_all_rows_(spec.kernel->packs == GemmPacks::kAlways),
      x_bytes_(static_cast<int64_t>(SizeOf(spec.kernel->types.x))),
      y_bytes_(static_cast<int64_t>(SizeOf(spec.kernel->types.y()))),
      c_bytes_(static_cast<int64_t>(SizeOf(spec.kernel->types.c))) {
  const Patches& patches = spec.patches;
  const Window2D& window = patches.window;
  flat_output_ =
      (window.h.out == 1 ||
       spec.line_stride == window.w.out * spec.pixel_stride) &&
      (patches.batch == 1 ||
       spec.image_stride == window.h.out * window.w.out * spec.pixel_stride);
  if (kHas8BitKernels && spec.kernel->is_quantized()) {
    PlanQuantized();
    return;
  }
  const int64_t row_bytes = patches.pixel_stride * window.w.stride * x_bytes_;
  // How the depth is divided determines how sums are rounded, so it follows
  // from properties of the node and the CPU, never from measurements.
  const GemmUkernel& sums_as =
      spec.plan.sums_as != nullptr ? *spec.plan.sums_as : *spec.kernel;
  const bool copies =
      spec.plan.rows == RowAccess::kByDistance
          ? RowsConflict(*spec.kernel, row_bytes, spec.n, blocks_)
          : spec.plan.rows == RowAccess::kCopied;
  packs_rows_ = packs_all_rows_ || (spec.kernel->packs != GemmPacks::kNever &&
                                    spec.n > spec.kernel->nr);
  reads_in_place_ = !copies && (patches.is_matrix() || packs_rows_ ||
                                depth_ <= blocks_.gemm_depth);
  PlanDepth(sums_as, RowsConflict(sums_as, row_bytes, spec.n, blocks_));
  // Rows of the same output line are read or copied together.
  cuts_lines_ = !flat_output_ ||
                (reads_in_place_ && !patches.is_matrix() && !packs_rows_);
  // The micro-kernel adds the addend only if the result is the same as adding
  // it afterwards: with a single depth block, and no activation before the sum.
  // Sums in fp16 are rounded after each block in any case, and integer sums
  // never.
  const bool one_gemm =
      depth_block_ >= depth_ || spec.kernel->types.c != Element::kF32;
  sums_in_tile_ = one_gemm && spec.activation.kind == ActivationKind::kNoop &&
                  spec.sum_activation.is_clamp();
  const int64_t b_bytes =
      CeilDiv(spec.n, spec.kernel->nr) * PackedPanel(depth_);
  PlanTasks(Doubled(blocks_.rows_of(b_bytes), spec.plan.block));
  rows_at_once_ = row_block_;
  PlanCopies();
}

void ConvGemm::PlanDepth(const GemmUkernel& sums_as, bool conflicts) {
  const Patches& patches = spec_.patches;
  const bool is_matrix = patches.is_matrix();
  const bool narrow_sums = spec_.kernel->types.c == Element::kF16;
  const int64_t of_copies =
      narrow_sums ? blocks_.gemm_depth_fp16 : blocks_.gemm_depth;
  const int64_t in_place =
      narrow_sums ? blocks_.gemm_depth_fp16 : blocks_.gemm_depth_in_place;
  const int64_t most = !conflicts && is_matrix ? in_place : of_copies;
  depth_block_ = CeilDiv(depth_, CeilDiv(depth_, most));
  const int64_t step = spec_.kernel->packing.k_step;
  const bool packs = packs_all_rows_ || (sums_as.packs != GemmPacks::kNever &&
                                         spec_.n > sums_as.nr);
  if (packs && !is_matrix && depth_ > of_copies) {
    // A depth block that is packed from segments consists of whole segments.
    const int64_t segment = patches.window.w.kernel * patches.channels;
    const int64_t segments = std::max<int64_t>(of_copies / segment, 1);
    depth_block_ = AlignUp(segments, step / std::gcd(segment, step)) * segment;
  } else if (packs_all_rows_) {
    depth_block_ = AlignUp(depth_block_, step);
  }
}

void ConvGemm::PlanCopies() {
  const bool reads_all = reads_in_place_ && spec_.patches.is_matrix();
  if (reads_all && !packs_rows_) return;
  // The stride is half a cache line longer than whole lines, so that rows
  // spread over the sets of the cache.
  const int64_t line = kLineBytes / x_bytes_;
  copy_stride_ = AlignUp(depth_block_, line) + line / 2;
  copy_bytes_ = row_block_ * copy_stride_ * x_bytes_;
  if (!packs_rows_) return;
  // Every packed tile takes the bytes of a full one. One tile more holds the
  // rows that are being packed.
  const int64_t mr = spec_.kernel->mr;
  const int64_t tiles = cuts_lines_ ? kMaxTiles : CeilDiv(row_block_, mr);
  const int64_t rows_bytes = mr * copy_stride_ * x_bytes_;
  copy_bytes_ =
      tiles * (packs_all_rows_ ? PackedTile(depth_block_) : rows_bytes) +
      rows_bytes;
  if (packs_all_rows_) zeros_.resize(spec_.patches.channels * x_bytes_);
}

int64_t ConvGemm::MaxRowBlock() const {
  const int64_t mr = spec_.kernel->mr;
  if (!cuts_lines_) return kMaxTiles * mr;
  // Tiles end where a line ends: half of them may be short, besides the first
  // and the last.
  return (kMaxTiles / 2 - 2) * std::min(mr, spec_.patches.window.w.out);
}

void ConvGemm::PlanTasks(int64_t block_bytes) {
  const int64_t mr = spec_.kernel->mr, nr = spec_.kernel->nr;
  const int64_t parts = static_cast<int64_t>(spec_.parts.size());
  const int64_t panels = CeilDiv(spec_.n, nr);
  const int64_t block =
      block_bytes / static_cast<int64_t>(SizeOf(spec_.kernel->types.a));
  row_block_ =
      std::clamp<int64_t>(block / depth_block_ / mr * mr, mr, MaxRowBlock());
  column_block_ = panels * nr;
  if (num_threads_ > 1) {
    const int64_t threads = CeilDiv(num_threads_, parts);
    const int64_t tiles = CeilDiv(std::max<int64_t>(rows_, 1), mr);
    // The work of the busiest thread if the threads share the columns, and if
    // they share the rows.
    const int64_t columns = EvenBlock(panels, panels, threads);
    const int64_t by_columns =
        CeilDiv(CeilDiv(panels, columns), threads) * columns * rows_;
    const int64_t row_share = CeilDiv(rows_, threads);
    const bool shares_rows =
        row_share >= mr && 20 * row_share * panels < 19 * by_columns;
    if (panels > tiles && !shares_rows) {
      column_block_ = columns * nr;
    } else if (panels > tiles) {
      row_block_ = std::clamp<int64_t>(row_share, 1, row_block_);
    } else {
      // The blocks that run at the same time are together as large as one
      // thread's block, so that the output may overlap the input as closely.
      const int64_t share =
          std::max<int64_t>(MaxRowBlock() / num_threads_ / mr, 1);
      row_block_ =
          EvenBlock(tiles, std::min(row_block_ / mr, share), threads) * mr;
    }
  }
  // The same number of blocks, but of equal sizes.
  const int64_t blocks = CeilDiv(std::max<int64_t>(rows_, 1), row_block_);
  const int64_t equal = CeilDiv(std::max<int64_t>(rows_, 1), blocks);
  row_block_ = std::min(row_block_, CeilDiv(equal, mr) * mr);
}

int64_t ConvGemm::SafeDistanceBytes() const {
  const Patches& patches = spec_.patches;
  const Window2D& window = patches.window;
  if (spec_.parts.size() > 1 || column_block_ < spec_.n || !flat_output_ ||
      spec_.pixel_stride != spec_.n) {
    return -1;
  }
  // A single thread is done with the rows that it packs before it packs others.
  const int64_t piece = num_threads_ == 1 ? rows_at_once_ : row_block_;
  const auto output_end = [&](int64_t block) {
    return std::min((block + 1) * piece, rows_) * spec_.pixel_stride * y_bytes_;
  };
  const auto input_begin = [&](int64_t block) {
    const int64_t row = block * piece;
    int64_t pixel = row;
    if (!patches.is_matrix()) {
      // The first pixel of the first line that the row's window reads.
      const int64_t line = row / window.w.out;
      const int64_t top =
          line % window.h.out * window.h.stride - window.h.pad_before;
      pixel = (line / window.h.out * window.h.in + std::max<int64_t>(top, 0)) *
              window.w.in;
    }
    return pixel * patches.pixel_stride * x_bytes_;
  };
  return SafeDistance(CeilDiv(rows_, piece), num_threads_, output_end,
                      input_begin);
}

std::string ConvGemm::variant() const {
  if (spec_.kernel->is_quantized()) return spec_.kernel->name;
  return StrCat(spec_.kernel->name, packs_rows_       ? " packing rows"
                                    : reads_in_place_ ? " in place"
                                                      : " copying rows");
}

int64_t ConvGemm::PackedTile(int64_t k) const {
  const GemmUkernel& kernel = *spec_.kernel;
  return kernel.mr * AlignUp(k, kernel.packing.k_tile) *
         static_cast<int64_t>(SizeOf(kernel.types.a));
}

int64_t ConvGemm::PackedPanel(int64_t k) const {
  return PackedElements(*spec_.kernel, spec_.kernel->nr, k) *
         static_cast<int64_t>(SizeOf(spec_.kernel->types.b));
}

}  // namespace mace::cpu
