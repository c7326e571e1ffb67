// ProductQ8: a convolution or a matrix product of codes by GEMM micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Each panel of the filter stays in the first-level cache while the tiles that
// are packed are multiplied by it, and the sums of a few tiles become codes at
// once:
//
//   for each block of rows and of columns (a task), for each group
//     for each part of the block
//       pack the tiles of the part
//       for each panel, for each few tiles: multiply each, requantize them
//
// Some micro-kernels do the last step at once, without sums in memory.
//
// A part is the whole block, or a few tiles where all panels stay in the cache.
#ifndef MACE_CPU_CONV_PRODUCT_Q8_H_
#define MACE_CPU_CONV_PRODUCT_Q8_H_

#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/conv/filter_q8.h"
#include "mace/cpu/conv/patches.h"

namespace mace::cpu {

class ProductQ8 {
 public:
  struct Spec {
    const GemmUkernel* micro = nullptr;
    Patches patches;  // of one group
    FlippedCodes x;
    int32_t x_zero = 0;  // the code that stands for 0
    int64_t group = 1;
    int64_t n = 0;            // output channels of a group
    bool one_thread = false;  // RunRows is called, not Run
  };

  ProductQ8(const Spec& spec, PanelsQ8 filter, const CpuContext& context);

  const char* variant() const { return spec_.micro->name; }
  const PanelsQ8& filter() const { return filter_; }
  int64_t scratch_bytes() const { return num_threads_ * thread_bytes_; }
  // See Kernel::overlaps; -1 if the output must not overlap the input.
  int64_t SafeDistanceBytes() const;

  // Computes rows [begin, end), to `y` from the first of them on, on this
  // thread. Scratch: scratch_bytes(). REQUIRES: one_thread.
  void RunRows(int64_t begin, int64_t end, const uint8_t* x, uint8_t* y,
               void* scratch) const {
    RunRows(begin, end, x, filter_.data(), y, scratch);
  }
  // The same with data that was computed; see PanelsQ8::Computed.
  void RunRows(int64_t begin, int64_t end, const uint8_t* x,
               const FilterDataQ8& filter, uint8_t* y, void* scratch) const;

  // See Kernel::writes_rows.
  static constexpr bool kWritesRows = true;
  void Run(const uint8_t* x, uint8_t* y, int64_t row_stride,
           void* scratch) const;

 private:
  struct Task {
    const uint8_t* x;
    FilterDataQ8 filter;
    uint8_t* y;        // of row y_row
    int64_t y_stride;  // between pixels
    int64_t y_row;
    char* scratch;
    const RequantizeQ8* requantize;
    GemmRequantizedFn* codes;  // null: sums are requantized
    int64_t row_begin, row_end, panel_begin, panel_end;
  };

  // The output pixel (p, q) of an image, whose window is a row.
  struct Place {
    int64_t image, p, q;
  };

  void PlanTasks(const CpuContext& context);
  // A task of all rows and columns, without scratch memory.
  Task WholeTask(const uint8_t* x, const FilterDataQ8& filter, uint8_t* y,
                 int64_t y_stride) const;
  void RunTask(const Task& task) const;
  Place PlaceOf(int64_t row) const;
  // The place that is n rows later.
  void Advance(int64_t n, Place* place) const;
  // Packs the rows of a tile of group `g`, the first of which is at `place`, in
  // as few calls as it takes. Advances `place` by m rows.
  void PackTile(const Task& task, int64_t g, int64_t row, int64_t m,
                Place* place, char* to) const;
  // Returns how many of the m rows from a place on can be packed together, and
  // whether their windows lie inside the image, so that their lines are runs.
  // REQUIRES: the rows are not those of a matrix.
  int64_t SpanOf(const Place& place, int64_t m, bool* inside) const;
  // Returns where the first line of a window inside the image begins.
  const uint8_t* FirstLine(const uint8_t* x, const Place& place) const;
  // Where the runs of rows at equal distances begin, in bytes.
  struct Steps {
    const uint8_t* first;  // null: they are elsewhere
    int64_t row, run;
  };
  // Lets a micro-kernel read rows in steps, or by pointers that are written to
  // `runs`.
  void SetSteps(const Steps& steps, const uint8_t** runs, GemmRuns* rows) const;
  // Writes where the pixels of the windows of m rows begin, [taps][m].
  void FindPixels(const uint8_t* x, Place place, int64_t m,
                  const uint8_t** runs) const;
  // The codes of m rows from `row` on, the first of a tile, of which `a` is the
  // packed one. REQUIRES: the sums fit into kSumsAtOnce.
  void RunTiles(const Task& task, int64_t g, int64_t panel, int64_t row,
                int64_t m, const char* a) const;
  // The same, for whole tiles and by task.codes, and for any rows by sums that
  // are requantized.
  void MultiplyToCodes(const Task& task, int64_t g, int64_t panel, int64_t row,
                       int64_t tiles, const char* a) const;
  void MultiplyTiles(const Task& task, int64_t g, int64_t panel, int64_t row,
                     int64_t m, const char* a) const;

  Spec spec_;
  PanelsQ8 filter_;
  ThreadPool* threads_;
  int64_t num_threads_;
  int64_t rows_ = 0, panels_ = 0;
  int64_t depth_ = 0;  // rounded up for the micro-kernel
  int64_t tile_bytes_ = 0;
  int64_t row_block_ = 0, panel_block_ = 0;
  int64_t packed_rows_ = 0;    // of a part
  int64_t tiles_at_once_ = 0;  // that become codes with one call
  // Offsets in the scratch memory of a thread.
  int64_t runs_at_ = 0, row_add_at_ = 0, thread_bytes_ = 0;
  bool is_matrix_ = false;  // a row is one pixel
  // Whether rows at a border are packed with those beside them: a pixel of all
  // rows fills whole lines of the packed tile.
  bool pixels_are_lines_ = false;
  // Outputs of a line whose windows lie inside it, if its pixels are one run.
  int64_t inside_begin_ = 0, inside_end_ = 0;
  std::vector<uint8_t> zeros_;  // stands for pixels outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_PRODUCT_Q8_H_
