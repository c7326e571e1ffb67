// Transforming and packing filters of Winograd convolutions of quantized
// values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/winograd/winograd_filter_q8.h"

#include <cstring>

#include "mace/base/aligned_buffer.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTileIn = kWinogradQ8In, kTileArea = kWinogradQ8Area,
                  kFilterTaps = 9;

// Filters that are transformed together, as vectors of 16 bits.
constexpr int64_t kWinogradFilterQ8Lanes = 16;
using Lanes = int16_t[kWinogradFilterQ8Lanes];

// The products of G with a column, or of a row with its transpose; see
// winograd_q8.h. Magnitudes are less than 2^15.
void TransformLanes(const Lanes& a, const Lanes& b, const Lanes& c,
                    Lanes* const (&to)[kTileIn]) {
  for (int64_t i = 0; i < kWinogradFilterQ8Lanes; ++i) {
    const auto even = static_cast<int16_t>(a[i] + c[i]);
    const auto wide = static_cast<int16_t>(a[i] + 4 * c[i]);
    const auto odd = static_cast<int16_t>(2 * b[i]);
    (*to[0])[i] = a[i];
    (*to[1])[i] = static_cast<int16_t>(even + b[i]);
    (*to[2])[i] = static_cast<int16_t>(even - b[i]);
    (*to[3])[i] = static_cast<int16_t>(wide + odd);
    (*to[4])[i] = static_cast<int16_t>(wide - odd);
    (*to[5])[i] = c[i];
  }
}

// Writes the transforms of the 3x3 elements g of each lane.
void TransformFilters(const Lanes (&g)[kFilterTaps], Lanes (&u)[kTileArea]) {
  Lanes columns[3 * kTileIn];  // [kTileIn][3]
  for (int64_t j = 0; j < 3; ++j) {
    TransformLanes(g[j], g[3 + j], g[6 + j],
                   {columns + j, columns + 3 + j, columns + 6 + j,
                    columns + 9 + j, columns + 12 + j, columns + 15 + j});
  }
  for (int64_t i = 0; i < kTileIn; ++i) {
    Lanes* const row = u + i * kTileIn;
    TransformLanes(columns[3 * i], columns[3 * i + 1], columns[3 * i + 2],
                   {row, row + 1, row + 2, row + 3, row + 4, row + 5});
  }
}

// Packs `group` channels from c on of kWinogradFilterQ8Lanes / group outputs
// from o on, to the panel of these outputs.
void PackLanes(const WinogradFilterQ8& f, const WinogradQ8& micro, int64_t o,
               int64_t c, int16_t* panel) {
  const int64_t nr = micro.nr, group = micro.group;
  const int64_t depth = AlignUp(f.inputs, micro.step);
  Lanes g[kFilterTaps] = {};
  for (int64_t i = 0; i < kWinogradFilterQ8Lanes; ++i) {
    const int64_t at_o = o + i / group, at_c = c + i % group;
    if (at_o >= f.outputs || at_c >= f.inputs) continue;
    const int64_t from = (at_o * f.inputs + at_c) * kFilterTaps;
    for (int64_t t = 0; t < kFilterTaps; ++t) {
      g[t][i] = static_cast<int16_t>(f.quantized[from + t] - f.zero);
    }
  }
  Lanes u[kTileArea];
  TransformFilters(g, u);
  int16_t* to = panel + (c / group * nr + o % nr) * group;
  for (int64_t i = 0; i < kTileArea; ++i, to += depth * nr) {
    std::memcpy(to, u[i], sizeof(Lanes));
  }
}

}  // namespace

void PackWinogradFilterQ8(const WinogradFilterQ8& filter,
                          const WinogradQ8& micro, int16_t* to) {
  const int64_t nr = micro.nr, group = micro.group;
  const int64_t depth = AlignUp(filter.inputs, micro.step);
  for (int64_t first = 0; first < filter.outputs; first += nr) {
    // Outputs change fastest: they are neighbours in all planes.
    for (int64_t c = 0; c < filter.inputs; c += group) {
      for (int64_t o = first; o < first + nr;
           o += kWinogradFilterQ8Lanes / group) {
        PackLanes(filter, micro, o, c, to);
      }
    }
    to += kTileArea * depth * nr;
  }
}

}  // namespace mace::cpu
