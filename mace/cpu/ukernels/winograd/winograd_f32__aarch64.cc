// Winograd's transforms on armv8: F(4, 3) in assembly.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/winograd/winograd_f32_input_four.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_output_four.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_tile.h"

namespace mace::cpu {
namespace {

void InputFour(const WinogradInputF32& tiles) {
  const WinogradInputF32 t = tiles;
  InputColumn columns[4 * (kWinogradMaxTiles - 1) + 6];
  const size_t end = 4 * t.tiles + 2;
  for (size_t j = 0; j < end; ++j) {
    if (j >= t.first && j < t.end) continue;
    for (float(&line)[kInputTogether] : columns[j]) {
      for (float& x : line) x = 0;
    }
  }
  size_t c = 0;
  for (; c + kInputTogether <= t.channels; c += kInputTogether) {
    InputSixteen(t, c, columns);
  }
  InputFrom<2>(t, c);
}

void OutputFour(const WinogradOutputF32& tiles) {
  const WinogradOutputF32 t = tiles;
  const bool fits = t.channels == 8 && t.tile_stride == 8;
  OutputFrom<2>(t, fits ? OutputPairs(t) : 0);
}

}  // namespace

const WinogradF32Set winograd_f32__aarch64 = {
    simd::kLanes,
    {WinogradInput<1>, InputFour, WinogradInput<3>},
    {WinogradOutput<1>, OutputFour, WinogradOutput<3>},
    {WinogradFilter<1>, WinogradFilter<2>, WinogradFilter<3>}};

}  // namespace mace::cpu
