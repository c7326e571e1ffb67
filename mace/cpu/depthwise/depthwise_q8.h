// DepthwiseQ8: a depthwise convolution of quantized values with one output per
// channel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_DEPTHWISE_DEPTHWISE_Q8_H_
#define MACE_CPU_DEPTHWISE_DEPTHWISE_Q8_H_

#include <memory>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/cpu/gemm/filter_q8.h"
#include "mace/cpu/reference/conv.h"
#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8_table.h"

namespace mace::cpu {

// int8 or uint8 in and out, with a constant filter of int8 or uint8 and, if
// any, a constant int32 bias. For each tile of outputs and each block of
// channels, the micro-kernel computes sums (ukernels/dwconv_q8) and the stage
// requantizes them at once. Immutable after Create: threads run lines at once.
//
// packed_   StageQ8 data | block of `lanes` channels | next block | ...
//                         each block: `planes_` planes of taps
// A tap of a uint8 filter less its zero point does not fit int8: it is the sum
// of its values in several planes.
class DepthwiseQ8 {
 public:
  // `stage` requantizes to output 0. The packed filter is shared by kernels
  // through context.packed. Errors: MACE_UNSUPPORTED if the filter or the bias
  // is not constant; MACE_OUT_OF_RESOURCES.
  static Result<DepthwiseQ8> Create(const Node& node, const ConvShape& shape,
                                    const OutputStage& stage,
                                    CpuContext& context);

  const char* variant() const { return micro_->name; }
  int64_t scratch_bytes() const {
    return threads_->num_threads() * thread_bytes_;
  }
  int64_t thread_scratch_bytes() const { return thread_bytes_; }
  // See Kernel::overlaps; -1 if the output must not overlap the input.
  int64_t SafeDistanceBytes() const;

  static constexpr bool kWritesRows = false;
  // Computes the dense output with all threads. `scratch` has scratch_bytes()
  // at a multiple of 64. y may overlap x if it begins SafeDistanceBytes() or
  // more before x and that is not -1.
  void Run(const uint8_t* x, uint8_t* y, void* scratch) const;

  // An image, or the part of one that a ring holds: line i is at i modulo
  // `lines`.
  struct Image {
    const uint8_t* pixels;
    int64_t lines;
  };
  // Computes line `p` of an output, to y, on the calling thread. `scratch` has
  // thread_scratch_bytes() at a multiple of 64 and is not shared.
  void RunLine(const Image& image, int64_t p, uint8_t* y, void* scratch) const;

 private:
  struct Line {
    Image image;
    int64_t p;
    uint8_t* y;
    char* scratch;
    const RequantizeQ8* requantize;
  };

  void Plan();
  int64_t num_tasks() const;
  void RunTiles(const Line& line) const;
  void RunTile(const Line& line, int64_t q, int64_t width) const;
  // Writes the addresses of the pixels of a tile, column by column, kernel_h
  // each; those outside of the image are zeros_.
  void FindPixels(const Line& line, int64_t q, int64_t columns,
                  const uint8_t** pixels) const;

  const DwconvQ8* micro_ = nullptr;
  ThreadPool* threads_ = nullptr;
  ConvShape s_;
  FlippedInput x_;
  std::shared_ptr<const void> packed_;
  StageQ8 stage_;
  int64_t planes_ = 1;
  int64_t block_bytes_ = 0;  // of the filter of a block of channels
  int64_t width_ = 0;        // most outputs of a tile
  // Offsets in the scratch memory of a thread.
  int64_t sums_at_ = 0, columns_at_ = 0, thread_bytes_ = 0;
  std::vector<uint8_t> zeros_;  // stands for pixels outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_DEPTHWISE_DEPTHWISE_Q8_H_
