// StageQ8: the sums of a node with a filter to quantized values of its output,
// a tile at a time.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_STAGE_Q8_H_
#define MACE_CPU_QUANTIZED_STAGE_Q8_H_

#include <cstdint>

#include "mace/base/aligned_buffer.h"
#include "mace/base/cpu_features.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8_table.h"

namespace mace::cpu {

// What the filter of an output channel adds up to.
struct ChannelSums {
  uint32_t start = 0;  // the value with which sums of products begin
  int64_t most = 0;    // no sum is farther from 0
};

// The numbers of each output channel, in one piece of memory that is packed
// with the filter and read by kernels:
// Head, 64 bytes      what the factors demand of a micro-kernel
// int32 start    [s]  s: the channels, padded so that 64 columns from any
// int32 mantissa [s]     of them on can be read
// int32 left     [s]  if sums are rounded once, doubles [s] take the place
// int32 right    [s]  of mantissa and left
// Immutable after construction; threads share it.
class StageQ8 {
 public:
  StageQ8() = default;
  // `channels` includes those that pad the last panel. `data` has
  // Bytes(channels), is aligned to 64 bytes and must outlive the object.
  StageQ8(const OutputStage& stage, int64_t channels, const void* data,
          CpuFeatures features);

  static int64_t Bytes(int64_t channels);
  // Clear writes zeros everywhere, which Pack requires. Pack then writes the
  // numbers of `channel`, which are those of output channel `output` in
  // `stage`; it updates the Head, so that threads must not pack at once.
  static void Clear(int64_t channels, void* data);
  static void Pack(int64_t channels, int64_t channel, const OutputStage& stage,
                   int64_t output, const ChannelSums& sums, void* data);

  // Returns the values with which the sums of the channels from `channel` on
  // begin.
  const int32_t* start(int64_t channel) const { return start_ + channel; }

  // How sums are requantized; the arrays begin with those of a channel.
  struct Numbers {
    const int32_t* mantissa;
    const int32_t* left;
    const int32_t* right;
    int32_t zero_point, least, most;
    const double* multipliers;  // null: mantissas and shifts count
  };
  Numbers numbers(int64_t channel) const {
    const int64_t stride = Padded(channels_);
    const int32_t* mantissa = start_ + stride + channel;
    return {mantissa,
            mantissa + stride,
            mantissa + 2 * stride,
            zero_point_,
            range_.least,
            range_.most,
            rounds_once_
                ? reinterpret_cast<const double*>(start_ + stride) + channel
                : nullptr};
  }

  // A tile of sums [m][stride], for n channels from `channel` on. `row_add` has
  // a number for each row that is added to its sums, or is null. See
  // requantize_q8.h, also for what is read beyond n.
  struct Tile {
    int64_t m, n, channel;
    const int32_t* sums;
    int64_t stride;
    const int32_t* row_add;
    uint8_t* y;
    int64_t y_stride;
  };
  // Requantizes a tile. `micro` is what Micro returned. Inline, so that what a
  // caller just stored is not read back in wider pieces: that would wait for
  // all sums that are still being stored.
  void Run(const RequantizeQ8& micro, const Tile& t) const {
    const Numbers to = numbers(t.channel);
    micro.fn({static_cast<size_t>(t.m), static_cast<size_t>(t.n), t.sums,
              static_cast<size_t>(t.stride), t.row_add, to.mantissa, to.left,
              to.right, to.zero_point, to.least, to.most, t.y,
              static_cast<ptrdiff_t>(t.y_stride), to.multipliers});
  }
  // Returns whether the limits of a micro-kernel that rounds twice hold: the
  // bits of the largest shifted sum, and the right shift, as those of a
  // RequantizeQ8. False if sums are rounded once. REQUIRES: the data is packed.
  bool IsWithin(int bits, int max_right) const;
  // Returns the best micro-kernel whose limits hold. REQUIRES: the data is
  // packed.
  const RequantizeQ8& Micro() const;

 private:
  struct Head;

  // Channels of one of the arrays.
  static int64_t Padded(int64_t channels) {
    return AlignUp(channels, kRequantizeQ8Columns) + kRequantizeQ8Columns;
  }

  const Head* head_ = nullptr;
  const int32_t* start_ = nullptr;
  int64_t channels_ = 0;
  int32_t zero_point_ = 0;
  bool rounds_once_ = false;
  QuantizedRange range_;
  CpuFeatures features_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_STAGE_Q8_H_
