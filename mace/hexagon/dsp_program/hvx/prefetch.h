// Prefetch: asks the DSP to read memory into its L2 cache, while it goes on
// computing.
// SPDX-License-Identifier: Apache-2.0
//
// An emulator executes the instruction and does nothing; prefetch_count counts
// the prefetches that were asked for.
#ifndef MACE_HEXAGON_DSP_PROGRAM_HVX_PREFETCH_H_
#define MACE_HEXAGON_DSP_PROGRAM_HVX_PREFETCH_H_

#include <hexagon_protos.h>
#include <stdint.h>

namespace mace::hexagon {

// How many prefetches were asked for, modulo 2^32. Not atomic: a single thread
// runs kernels.
extern uint32_t prefetch_count;

// Asks for `rows` rows of `width` bytes, `stride` bytes from start to start.
// Fields of the instruction have 16 bits: longer and more rows are cut off, and
// for a longer stride nothing is asked for, because this is a hint only.
// Nothing either if `width` or `rows` is 0 or less, so that callers need no
// case for the last block, or if `stride` is negative.
static inline void Prefetch(const void* at, int32_t width, int32_t stride,
                            int32_t rows) {
  constexpr int32_t kLimit = 0xffff;
  if (width <= 0 || rows <= 0 || stride < 0 || stride > kLimit) return;
  const auto cut = [](int32_t n) {
    return static_cast<uint64_t>(n < kLimit ? n : kLimit);
  };
  Q6_l2fetch_AP(const_cast<void*>(at),
                static_cast<int64_t>(static_cast<uint64_t>(stride) << 32 |
                                     cut(width) << 16 | cut(rows)));
  ++prefetch_count;
}

// Asks for `bytes` bytes in one piece. From 2048 bytes on they are rounded up
// to rows of 2048, so that even large filters fit the fields.
static inline void Prefetch(const void* at, int32_t bytes) {
  constexpr int32_t kRow = 2048;
  Prefetch(at, bytes < kRow ? bytes : kRow, kRow, (bytes + kRow - 1) / kRow);
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_HVX_PREFETCH_H_
