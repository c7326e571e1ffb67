// SafeDistance: how far an output must begin before an input that its kernel
// reads and writes piece by piece.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_SAFE_DISTANCE_H_
#define MACE_CPU_SAFE_DISTANCE_H_

#include <algorithm>
#include <cstdint>

namespace mace::cpu {

// A kernel writes pieces 0 .. num_pieces - 1 in order. Piece i fills the output
// up to byte output_end(i) and reads the input from byte input_begin(i) on;
// both never decrease. If the output begins this many bytes before the input,
// no piece overwrites what it or a later one reads:
//
//   output  |== piece 0 ==|== piece 1 ==|...
//   input          |-- read by 0 --|
//   distance |<--->|
template <typename OutputEnd, typename InputBegin>
int64_t SafeDistance(int64_t num_pieces, const OutputEnd& output_end,
                     const InputBegin& input_begin) {
  int64_t distance = 0;
  for (int64_t i = 0; i < num_pieces; ++i) {
    distance = std::max(distance, output_end(i) - input_begin(i));
  }
  return distance;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_SAFE_DISTANCE_H_
