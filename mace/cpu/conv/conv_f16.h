// ConvF16: a convolution as a matrix product from fp16 to fp16.
// SPDX-License-Identifier: Apache-2.0
//
// Blocked as ConvGemm is: a task is a block of rows times a block of columns;
// the rows of each block of depth are packed once, then each panel of packed b
// meets all of them.
#ifndef MACE_CPU_CONV_CONV_F16_H_
#define MACE_CPU_CONV_CONV_F16_H_

#include <string>
#include <vector>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/patches.h"
#include "mace/cpu/ukernels/gemm/gemm_f16_rows_table.h"

namespace mace::cpu {

class ConvF16 {
 public:
  struct Spec {
    Patches patches;
    int64_t n = 0;                  // output channels
    ActivationFunction activation;  // of the sum with the addend
  };

  // b is packed for kernel(); `bias` is padded_n() fp16 values or null,
  // `addend`, added to y, whose shape it has, or null.
  struct Operands {
    const uint16_t* x = nullptr;
    const uint16_t* b = nullptr;
    const uint16_t* bias = nullptr;
    uint16_t* y = nullptr;
    const uint16_t* addend = nullptr;
  };

  // The micro-kernel for CPUs with these features.
  static const GemmF16& Choose(CpuFeatures features);

  // REQUIRES: spec.patches.depth() > 0; an addend comes with a clamp only.
  ConvF16(const Spec& spec, const CpuContext& context);

  int64_t padded_n() const;
  int64_t scratch_bytes() const;  // for all threads
  std::string variant() const { return kernel_->tile.name; }

  void Run(ThreadPool* threads, const Operands& operands, void* scratch) const;

 private:
  struct Task {
    const Operands& at;
    uint16_t* scratch;
    int64_t row_begin, row_end;
    int64_t column_begin, column_end;
  };

  void PlanDepth();
  void PlanTasks(int64_t num_threads);
  int64_t thread_scratch_fp16() const;
  void RunTask(const Task& task) const;
  void MultiplyPanels(const Task& task, int64_t k0, int64_t k1) const;
  // Columns [k0, k1) of a tile of m rows. `rows` is memory for a copy of them.
  void PackTile(const uint16_t* x, int64_t row, int64_t m, int64_t k0,
                int64_t k1, uint16_t* rows, uint16_t* to) const;
  // Calls f(t, pixels) for the taps of those columns in turn, with the pixel
  // that each row meets.
  template <typename F>
  void ForEachTap(const uint16_t* x, int64_t row, int64_t m, int64_t k0,
                  int64_t k1, const F& f) const;

  const GemmF16* kernel_;
  Spec spec_;
  Activator activator_;  // of what is not a clamp
  int64_t num_threads_ = 1;
  int64_t rows_ = 0;
  int64_t depth_ = 0;
  int64_t depth_block_ = 0;
  int64_t row_block_ = 0;
  int64_t column_block_ = 0;
  std::vector<uint16_t> zeros_;  // a pixel outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_F16_H_
