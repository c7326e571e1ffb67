// ConvGemm: computes a convolution as a matrix product of patches and packed
// filters. Its micro-kernel determines the element types.
// SPDX-License-Identifier: Apache-2.0
//
// The product is divided into blocks of rows, which fit the second-level cache,
// and blocks of columns; each pair of blocks is a task. Within a task, a panel
// of packed b stays in the first-level cache while all tiles of the row block
// are multiplied by it:
//
//              n                          task = row block x column block
//        +-----+-----+                    for each depth block of k
//   rows |tile |     |  ^ row block         for each tile: find, copy or pack
//        |     |     |  |                                  its rows
//        |tile |     |  v                   for each panel of columns
//        +-----+-----+                        for each tile: micro-kernel
//        column block
//
// Offsets and strides count elements. RowFinish applies the activations and
// sums that the micro-kernel cannot.
//
// Quantized rows are always packed, with their whole depth. The row block is
// divided once more where all its panels stay in the first-level cache, and the
// sums of a few tiles are requantized at once, some by the micro-kernel itself:
//
//   for each part of the row block
//     for each tile: pack its rows
//     for each panel of columns: for a few tiles: multiply each, requantize
//     them
#ifndef MACE_CPU_GEMM_CONV_GEMM_H_
#define MACE_CPU_GEMM_CONV_GEMM_H_

#include <string>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/cpu/gemm/patches.h"
#include "mace/cpu/gemm/row_finish.h"
#include "mace/cpu/gemm/run_packer.h"
#include "mace/cpu/quantized/stage_q8.h"

namespace mace::cpu {

class ConvGemm {
 public:
  // One of several products of the same shape, such as the groups of a
  // convolution or the batches of a matrix product. Its operands begin at these
  // offsets, in elements, from those given to Run.
  struct Part {
    int64_t x = 0;
    int64_t b = 0;
    int64_t bias = 0;
    int64_t y = 0;
    int64_t channel = 0;  // of the stage, that of the first column
  };

  // Of products of quantized values.
  struct Quantized {
    uint8_t flip = 0;    // see GemmRuns
    int32_t x_zero = 0;  // the value of pixels outside the image
    int32_t b_zero = 0;  // the zero point of b
    StageQ8 stage;       // from sums to y
  };

  struct Spec {
    const GemmUkernel* kernel = nullptr;
    GemmPlan plan;  // plan.kernel is not read
    Patches patches;
    int64_t n = 0;  // output channels
    // Output (n, p, q) begins at element n * image_stride + p * line_stride + q
    // * pixel_stride.
    int64_t image_stride = 0;
    int64_t line_stride = 0;
    int64_t pixel_stride = 0;
    ActivationFunction activation;
    std::vector<Part> parts = {Part()};
    bool one_thread = false;  // true: only RunRows is called
    // Applied to the sum of the result and the addend, if there is an addend.
    ActivationFunction sum_activation;
    Quantized quantized;  // if the kernel multiplies such values
  };

  // The operands of a run. Their types are those of spec.kernel (GemmTypes): x,
  // b, c for the bias, y() for y; b is packed for it. `bias` has n elements for
  // each part, or is null; for quantized values it is never null, and has whole
  // panels. `addend` is null, as always for quantized values, or has the type
  // and shape of y and is added to the result.
  struct Operands {
    const void* x = nullptr;
    const void* b = nullptr;
    const void* bias = nullptr;
    void* y = nullptr;
    const void* addend = nullptr;
    // Between pixels of y; 0: spec.pixel_stride. REQUIRES: 0 for floats.
    int64_t y_stride = 0;
  };

  // REQUIRES: spec.patches.depth() > 0; if values are quantized, there are no
  // activations, and consecutive rows of the output are pixel_stride apart.
  ConvGemm(const Spec& spec, const CpuContext& context);

  // Return the bytes of scratch for all threads, and for one.
  int64_t scratch_bytes() const {
    return num_threads_ * thread_scratch_bytes();
  }
  int64_t thread_scratch_bytes() const { return copy_bytes_; }

  // Returns the safe distance of an output that begins before its input, in
  // bytes; -1 if they must not overlap. Row blocks run in order, and each reads
  // its input before a later block that does not run at the same time can
  // overwrite it.
  int64_t SafeDistanceBytes() const;

  // Names the micro-kernel and, unless values are quantized, says whether rows
  // are read in place, copied or packed.
  std::string variant() const;

  // Computes all parts. `scratch` has scratch_bytes().
  void Run(ThreadPool* threads, const Operands& operands, void* scratch) const;

  // Computes rows [begin, end) on the calling thread. Row `begin` is written to
  // the start of y, and the addend begins with that row. REQUIRES: there is one
  // part, whose offsets are 0; consecutive rows of the output are pixel_stride
  // apart.
  void RunRows(int64_t begin, int64_t end, const Operands& operands,
               void* thread_scratch) const;

 private:
  static constexpr int kMaxTiles = 64;  // in a row block

  // Up to mr rows that the micro-kernel computes at once.
  struct Tile {
    int64_t m;
    int64_t c;  // its offset in y
  };
  // Rows of operand a, and how they lie in memory.
  struct Rows {
    const char* a;
    int64_t m, k, segments;
    int64_t stride, segment_stride;
  };
  // The rows of one call of the micro-kernel: a tile, or several packed tiles
  // one after the other.
  struct RowRun {
    int64_t c;
    Rows rows;  // of the current depth block
    bool packed;
  };
  // What one worker computes at a time: a block of rows times a block of
  // columns of one part.
  struct Task {
    Operands at;
    char* copies;
    int64_t row_begin, row_end;
    int64_t column_begin, column_end;
    int64_t channel = 0;    // of the stage, that of column 0
    int64_t first_row = 0;  // the row that y points to
  };

  struct QuantizedTask;

  Operands PartOf(const Operands& all, const Part& part) const;
  void PlanDepth(const GemmUkernel& sums_as, bool conflicts);
  void PlanTasks(int64_t block_bytes);
  void PlanCopies();
  int CutTiles(const Task& task, Tile* tiles) const;
  // Finds columns [k0, k1) of the rows of each tile in place, or copies or
  // packs them. Returns the number of runs.
  int FindRows(const Task& task, int64_t k0, int64_t k1, const Tile* tiles,
               int num_tiles, RowRun* runs) const;
  bool FindInPlace(const Task& task, int64_t row, int64_t m, int64_t k0,
                   int64_t k1, Rows* rows) const;
  // Copies the pixels of all windows of a tile once; the rows overlap in the
  // copy.
  bool CopyWindows(const Task& task, int64_t row, int64_t m, char* to,
                   Rows* rows) const;
  // Copies the rows one after the other.
  Rows CopyRows(const Task& task, int64_t row, int64_t m, int64_t k0,
                int64_t k1, char* to) const;
  // Packs a tile's rows to `to`, by way of `copy` if they cannot be read in
  // place.
  void PackRows(const Task& task, int64_t row, int64_t m, int64_t k0,
                int64_t k1, char* copy, char* to) const;
  void RunTask(const Task& task) const;
  void MultiplyPanels(const Task& task, int64_t k0, const RowRun* runs,
                      int num_runs) const;
  // Applies what the micro-kernel cannot to the task's columns of the tiles.
  void Finish(const Task& task, const Tile* tiles, int num_tiles) const;
  // For quantized values: plan the blocks; run a task; multiply up to
  // tiles_at_once_ tiles by one panel, requantize the sums and write them to y.
  void PlanQuantized();
  void RunQuantized(const Task& task) const;
  void MultiplyRequantized(const QuantizedTask& task, int64_t column,
                           int64_t row, int64_t m, const char* a,
                           const int32_t* row_add) const;
  // Return the packed bytes of a full tile of operand a, and of a panel of b,
  // of depth k.
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
  bool packs_all_rows_ = false;                      // even a single row
  int64_t x_bytes_ = 0, y_bytes_ = 0, c_bytes_ = 0;  // of an element
  int64_t depth_block_ = 0;
  int64_t row_block_ = 0;
  int64_t column_block_ = 0;
  int64_t copy_stride_ = 0;  // elements of x between copied rows
  int64_t copy_bytes_ = 0;   // per worker
  std::vector<char> zeros_;  // stands for pixels outside the image
  // Rows that are found or packed before they are multiplied: of quantized
  // values perhaps a part of the block.
  int64_t rows_at_once_ = 0;
  // Of products of quantized values.
  RunPacker packer_;
  int64_t tile_bytes_ = 0;     // of a packed tile
  int64_t tiles_at_once_ = 0;  // that are requantized with one call
  // Offsets in the scratch memory of a worker.
  int64_t runs_at_ = 0, row_add_at_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_CONV_GEMM_H_
