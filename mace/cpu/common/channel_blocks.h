// ChannelBlocks: divides a tensor whose last axis has parameters into blocks
// that are long enough for vectors even if there are few channels.
// SPDX-License-Identifier: Apache-2.0
//
//   x       c0 c1 c2 c0 c1 c2 c0 c1 c2 c0 c1 c2 c0 c1 c2
//   blocks  [--------------][--------------][----------]
//   params  p0 p1 p2 p0 p1 p2, as long as a block and used for all blocks
#ifndef MACE_CPU_COMMON_CHANNEL_BLOCKS_H_
#define MACE_CPU_COMMON_CHANNEL_BLOCKS_H_

#include <algorithm>
#include <cstdint>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/blocking.h"

namespace mace {

// The scratch of a kernel has block() elements for each parameter; Repeat fills
// it in each Run, since parameters may be inputs.
class ChannelBlocks {
 public:
  ChannelBlocks() = default;
  // REQUIRES: channels divides num_elements, or both are 0.
  ChannelBlocks(int64_t num_elements, int64_t channels)
      : num_elements_(num_elements), channels_(std::max<int64_t>(1, channels)) {
    copies_ = std::max<int64_t>(1, kElements / channels_);
  }

  // Returns the elements of a block, a multiple of the channels. Only the last
  // block may be shorter.
  int64_t block() const { return copies_ * channels_; }

  // Writes block() elements to `to`: the parameters of one row, repeated.
  // Writes nothing if num_elements is 0.
  void Repeat(const float* params, float* to) const {
    if (num_elements_ == 0) return;
    for (int64_t k = 0; k < copies_; ++k) {
      std::copy_n(params, channels_, to + k * channels_);
    }
  }

  // Calls f(first, n) for each block: n elements from index `first` on. `first`
  // is a multiple of the channels, so that the block meets the repeated
  // parameters from their first one. Blocks run on several threads, about 8,192
  // elements at a time, or one larger block.
  template <typename F>
  void ForEach(ThreadPool* threads, const F& f) const {
    const int64_t num_blocks = cpu::CeilDiv(num_elements_, block());
    threads->ParallelFor(num_blocks, std::max<int64_t>(1, 8192 / block()),
                         [&](size_t begin, size_t end) {
                           for (int64_t b = begin;
                                b < static_cast<int64_t>(end); ++b) {
                             const int64_t first = b * block();
                             f(first, std::min(block(), num_elements_ - first));
                           }
                         });
  }

 private:
  // The elements of a block, about: long enough for vectors, short enough for
  // the first-level cache.
  static constexpr int64_t kElements = 256;

  int64_t num_elements_ = 0;
  int64_t channels_ = 1;
  int64_t copies_ = 1;
};

}  // namespace mace

#endif  // MACE_CPU_COMMON_CHANNEL_BLOCKS_H_
