// SafeDistance: how far before an input an output may begin when a kernel reads
// and writes both piece by piece.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_SAFE_DISTANCE_H_
#define MACE_CPU_COMMON_SAFE_DISTANCE_H_

#include <algorithm>
#include <cstdint>
#include <functional>

namespace mace::cpu {

// A kernel writes pieces 0 .. num_pieces - 1 in order, at most `at_once` of
// them at a time (see RunTasks). Piece i fills the output up to byte
// output_end(i) and reads the input from byte input_begin(i) on; neither
// decreases as i grows. Returns the distance: if the output begins at least
// this many bytes before the input, no piece overwrites what itself, a
// concurrent piece or a later piece reads.
//
//   output  |== piece 0 ==|== piece 1 ==|...
//   input          |-- read by 0 --|
//   distance |<--->|
//
// Returns -1 if there are too many pieces to look at: then the output must not
// overlap the input.
template <typename OutputEnd, typename InputBegin>
int64_t SafeDistance(int64_t num_pieces, int64_t at_once,
                     const OutputEnd& output_end,
                     const InputBegin& input_begin) {
  constexpr int64_t kMaxPieces = 1 << 16;
  if (num_pieces > kMaxPieces) return -1;
  int64_t distance = 0;
  for (int64_t i = 0; i < num_pieces; ++i) {
    const int64_t oldest = std::max<int64_t>(i - (at_once - 1), 0);
    distance = std::max(distance, output_end(i) - input_begin(oldest));
  }
  return distance;
}

// Returns i * lines / pieces, rounded down, without overflow: the first line of
// piece `i` if pieces share lines evenly. REQUIRES: 0 <= i <= pieces < 2^31.
inline int64_t PieceBegin(int64_t i, int64_t pieces, int64_t lines) {
  return lines / pieces * i + lines % pieces * i / pieces;
}

// Returns whether an output of `y_size` elements shares memory with an input of
// `x_size` elements, so that the pieces must run in order.
template <typename T>
bool RangesOverlap(const T* y, int64_t y_size, const T* x, int64_t x_size) {
  const std::less<const T*> before;
  return before(y, x + x_size) && before(x, y + y_size);
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_SAFE_DISTANCE_H_
