// ConvGemm: a convolution as a matrix product of patches and packed filters, of
// whatever types its micro-kernel multiplies.
// SPDX-License-Identifier: Apache-2.0
//
// The product is cut into blocks of rows (small enough for the second-level
// cache) and blocks of columns, one task each. Within a task, a panel of packed
// b stays in the first-level cache while the tiles of the block pass by:
//
//              n                          task = row block x column block
//        +-----+-----+                    for each depth block of k
//   rows |tile |     |  ^ row block         for each tile: find, copy or pack
//        |     |     |  |                                  its rows
//        |tile |     |  v                   for each panel of columns
//        +-----+-----+                        for each tile: micro-kernel
//        column block
//
// Element types and sizes are those of the micro-kernel's description; offsets
// and strides count elements. What a micro-kernel does not do itself, RowFinish
// does for the type of c.
#ifndef MACE_CPU_CONV_CONV_GEMM_H_
#define MACE_CPU_CONV_CONV_GEMM_H_

#include <string>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/conv/gemm_pack.h"
#include "mace/cpu/conv/patches.h"
#include "mace/cpu/conv/row_finish.h"

namespace mace::cpu {

class ConvGemm {
 public:
  // One of several products of the same shape: where its operands start, in
  // elements from those given to Run. For the groups of a convolution and the
  // batches of a matrix product.
  struct Part {
    int64_t x = 0;
    int64_t b = 0;
    int64_t bias = 0;
    int64_t y = 0;
  };

  struct Spec {
    const GemmUkernel* kernel = nullptr;
    GemmPlan plan;  // but for plan.kernel
    Patches patches;
    int64_t n = 0;  // output channels
    // Where output (n, p, q) is: elements between images, lines and pixels.
    int64_t image_stride = 0;
    int64_t line_stride = 0;
    int64_t pixel_stride = 0;
    ActivationFunction activation;
    std::vector<Part> parts = {Part()};
    bool one_thread = false;  // only RunRows is called
    // What is done to the sum of result and addend, if there is one.
    ActivationFunction sum_activation;
  };

  // Operands of a run, of the types x, b and c of spec.kernel, for which b is
  // packed. `bias` is n elements or null, `addend` is added to y, whose shape
  // it has, if it is not null.
  struct Operands {
    const void* x = nullptr;
    const void* b = nullptr;
    const void* bias = nullptr;
    void* y = nullptr;
    const void* addend = nullptr;
  };

  // REQUIRES: spec.patches.depth() > 0; no activations where c is an integer.
  ConvGemm(const Spec& spec, const CpuContext& context);

  // For all threads, and for one.
  int64_t scratch_bytes() const {
    return num_threads_ * thread_scratch_bytes();
  }
  int64_t thread_scratch_bytes() const { return copy_bytes_; }

  // Bytes that the output may begin before the input; -1 where they must lie
  // apart. Row blocks are taken in order, each of which reads what it needs
  // before one is written that does not run beside it.
  int64_t SafeDistanceBytes() const;

  // The micro-kernel, and whether rows are copied or packed before they are
  // multiplied.
  std::string variant() const;

  void Run(ThreadPool* threads, const Operands& operands, void* scratch) const;

  // Rows [begin, end) of the only part on this thread, the first of them to y.
  // REQUIRES: rows of the output follow each other, pixel_stride apart.
  void RunRows(int64_t begin, int64_t end, const Operands& operands,
               void* thread_scratch) const;

 private:
  static constexpr int kMaxTiles = 64;  // of a row block

  struct Tile {
    int64_t m;
    int64_t c;  // where it is in y
  };
  // Rows of a: where they are, and how.
  struct Rows {
    const char* a;
    int64_t m, k, segments;
    int64_t stride, segment_stride;
  };
  // Rows for one call of the micro-kernel: a tile, or packed ones in a row.
  struct RowRun {
    int64_t c;
    Rows rows;  // of the current depth block
    bool packed;
  };
  struct Task {
    Operands at;
    char* copies;
    int64_t row_begin, row_end;
    int64_t column_begin, column_end;
    int64_t first_row = 0;  // the one that is at y
  };

  Operands PartOf(const Operands& all, const Part& part) const;
  void PlanDepth(const GemmUkernel& sums_as, bool conflicts);
  void PlanTasks(int64_t block_bytes);
  void PlanCopies();
  int CutTiles(const Task& task, Tile* tiles) const;
  // Columns [k0, k1) of the rows of each tile, in place, copied or packed.
  // Returns the number of runs.
  int FindRows(const Task& task, int64_t k0, int64_t k1, const Tile* tiles,
               int num_tiles, RowRun* runs) const;
  bool FindInPlace(const Task& task, int64_t row, int64_t m, int64_t k0,
                   int64_t k1, Rows* rows) const;
  // Copies all windows of a tile, of which each row is a part.
  bool CopyWindows(const Task& task, int64_t row, int64_t m, char* to,
                   Rows* rows) const;
  // Copies the rows next to each other.
  Rows CopyRows(const Task& task, int64_t row, int64_t m, int64_t k0,
                int64_t k1, char* to) const;
  // Packs a tile's rows, which may be copied to `to` before.
  void PackRows(const Task& task, int64_t row, int64_t m, int64_t k0,
                int64_t k1, char* copy, char* to) const;
  void RunTask(const Task& task) const;
  void MultiplyPanels(const Task& task, int64_t k0, const RowRun* runs,
                      int num_runs) const;
  // The task's columns of the tiles, where the micro-kernel leaves work.
  void Finish(const Task& task, const Tile* tiles, int num_tiles) const;
  // Bytes that operand a of a full tile, or a panel of b, k deep, is packed
  // into.
  int64_t PackedTile(int64_t k) const;
  int64_t PackedPanel(int64_t k) const;
  const char* InputAt(const Task& task, int64_t offset) const {
    return static_cast<const char*>(task.at.x) + offset * x_bytes_;
  }
  int64_t OutputOffset(int64_t row) const;
  int64_t MaxRowBlock() const;

  Spec spec_;
  Blocks blocks_;
  RowFinish finish_;
  int num_threads_ = 1;
  int64_t rows_ = 0;
  int64_t depth_ = 0;
  bool flat_output_ = false;  // consecutive rows are pixel_stride apart
  bool reads_in_place_ = false;
  bool cuts_lines_ = false;    // tiles end where a line does
  bool sums_in_tile_ = false;  // the micro-kernel adds the addend
  bool packs_rows_ = false;
  bool packs_all_rows_ = false;        // even a single one
  int64_t x_bytes_ = 0, c_bytes_ = 0;  // of an element
  int64_t depth_block_ = 0;
  int64_t row_block_ = 0;
  int64_t column_block_ = 0;
  int64_t copy_stride_ = 0;  // elements of x between copied rows
  int64_t copy_bytes_ = 0;   // per worker
  std::vector<char> zeros_;  // a pixel outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_GEMM_H_
