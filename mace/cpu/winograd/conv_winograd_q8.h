// ConvWinogradQ8: a 3x3 convolution of quantized values with a quarter of the
// multiplications, to the bit.
// SPDX-License-Identifier: Apache-2.0
//
// The output is divided into tiles of 4x4. A task takes a block of tiles and a
// block of panels of output channels:
//
//   input tiles --> v [36][tiles / mr][channels / lanes][mr][lanes]
//   for each panel
//     36 matrix products   v[i] * filter[i] --> m [36][tiles][nr]
//     m --> sums of the pixels of a few tiles --> quantized values
#ifndef MACE_CPU_WINOGRAD_CONV_WINOGRAD_Q8_H_
#define MACE_CPU_WINOGRAD_CONV_WINOGRAD_Q8_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/gemm/filter_q8.h"
#include "mace/cpu/reference/conv.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8_table.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Return the number of tiles of an output, and the bytes of the transformed
// filter and of a transformed tile of the input.
int64_t WinogradQ8Tiles(const ConvShape& shape);
int64_t WinogradQ8FilterBytes(const ConvShape& shape, const WinogradQ8& micro);
int64_t WinogradQ8TileBytes(const ConvShape& shape, const WinogradQ8& micro);

class ConvWinogradQ8 {
 public:
  // Returns whether no sum of an output channel can leave the range in which
  // results are exact. REQUIRES: the filter is constant, of layout OIHW.
  static bool IsExact(const Operand& filter, const ConvShape& shape);

  // REQUIRES: Winograd::Fits(shape), IsExact. Errors: as PanelsQ8::Create.
  static Result<ConvWinogradQ8> Create(const Node& node, const ConvShape& shape,
                                       const WinogradQ8& micro,
                                       const OutputStage& stage,
                                       CpuContext& context);

  int64_t scratch_bytes() const {
    return threads_->num_threads() * thread_bytes_;
  }
  // See Kernel::overlaps; the output must not overlap the input.
  int64_t SafeDistanceBytes() const { return -1; }

  // See Kernel::writes_rows.
  static constexpr bool kWritesRows = true;
  void Run(const uint8_t* x, uint8_t* y, int64_t row_stride,
           void* scratch) const;

 private:
  struct Task;

  ConvWinogradQ8(const ConvShape& shape, const WinogradQ8& micro,
                 const CpuContext& context);

  Status Pack(const Node& node, const OutputStage& stage, CpuContext& context);
  void PlanTasks(const CpuContext& context);
  void RunTask(const Task& task) const;
  void TransformInput(const Task& task, int64_t tile) const;
  void MultiplyPanel(const Task& task, int64_t panel) const;
  void TransformOutput(const Task& task, int64_t panel) const;

  ConvShape shape_;
  const WinogradQ8* micro_;
  ThreadPool* threads_;
  FlippedInput x_;
  std::vector<uint8_t> zeros_;  // stands for a pixel outside the image
  std::shared_ptr<const void> packed_;
  const int16_t* filter_ = nullptr;  // [panels][36][depth / group][nr][group]
  StageQ8 stage_;
  int64_t depth_ = 0;      // channels, rounded up for products
  int64_t group_ = 0;      // int16 of mr tiles in each of the 36 elements of v
  int64_t v_element_ = 0;  // int16 between elements of v
  int64_t m_element_ = 0;  // int32 between elements of m
  int64_t tile_lines_ = 0, tile_columns_ = 0, tiles_ = 0, panels_ = 0;
  int64_t tile_block_ = 0, panel_block_ = 0;  // of a task
  // Offsets in the scratch memory of a thread.
  int64_t m_at_ = 0, sums_at_ = 0, thread_bytes_ = 0;
};

// Prepares a Conv2d whose input 0 is quantized i8 or u8. REQUIRES: PlanConv
// chooses Winograd's method. Errors: as PrepareConvQ8.
Result<KernelPtr> PrepareConvWinogradQ8(const Node& node,
                                        const ConvShape& shape,
                                        CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_WINOGRAD_CONV_WINOGRAD_Q8_H_
