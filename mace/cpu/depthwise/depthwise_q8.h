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

class DepthwiseQ8 {
 public:
  // Errors: MACE_UNSUPPORTED if the filter or the bias is not constant;
  // MACE_OUT_OF_RESOURCES.
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
  void Run(const uint8_t* x, uint8_t* y, void* scratch) const;

  // An image, or the part of one that a ring holds: line i is at i modulo
  // `lines`.
  struct Image {
    const uint8_t* pixels;
    int64_t lines;
  };
  // Computes line `p` of an output. Scratch: thread_scratch_bytes().
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
