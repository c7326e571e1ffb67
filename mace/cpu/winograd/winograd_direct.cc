// Finds tiles with outliers among their inputs, and computes them tap by tap.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/cpu/gemm/outliers.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_filter.h"
#include "mace/cpu/winograd/winograd_task.h"

namespace mace::cpu {
namespace {

// How a tap of a line of the filter follows from elements of its transform:
// (element plus - element minus) * scale.
struct WinogradTap {
  int plus, minus;  // minus: -1 for none
  float scale;
};

template <int kPairs>
void FindWinogradTaps(WinogradTap taps[3]) {
  constexpr WinogradFilterRows<kPairs> kRows = kWinogradFilterRows<kPairs>;
  taps[0] = {0, -1, 1 / kRows.row[0][0]};
  taps[1] = {1, 2, 0.5f / kRows.row[1][1]};
  taps[2] = {2 * kPairs + 1, -1, 1};
}

}  // namespace

// The inputs of a tile are those of its own columns and of the first two of the
// next tile, so that they do not depend on which tiles are found together.
bool Winograd::AnyOutlier(const WinogradInputF32& t) const {
  const size_t m = spec_.m, a = m + 2, channels = t.channels;
  const float* rows[kWinogradMaxLines];
  // The magnitudes of columns [begin, begin + n).
  const auto columns = [&](size_t begin, size_t n) {
    const size_t from = std::clamp(begin, t.first, t.end);
    const size_t to = std::clamp(begin + n, t.first, t.end);
    MagnitudeF32Rows args = {0, (to - from) * channels, rows};
    for (size_t r = 0; r < a; ++r) {
      if (t.lines[r].pixel_stride == 0) continue;
      rows[args.count++] = t.lines[r].x + (from - t.first) * channels;
    }
    return magnitude_(args);
  };
  const auto add = [](const MagnitudeF32& x, const MagnitudeF32& y) {
    return MagnitudeF32{std::max(x.largest, y.largest), x.sum + y.sum};
  };
  MagnitudeF32 edge = columns(0, 2);
  for (size_t i = 0; i < t.tiles; ++i) {
    const MagnitudeF32 own = add(edge, columns(i * m + 2, m - 2));
    edge = columns((i + 1) * m, 2);
    if (HasOutlier(add(own, edge), static_cast<int64_t>(a * a * channels))) {
      return true;
    }
  }
  return false;
}

void Winograd::ComputeDirectly(const Task& task) const {
  WinogradLineF32 lines[kWinogradMaxLines];
  WinogradInputF32 t;
  t.tiles = 1;
  for (int64_t i = task.tile_begin; i < task.tile_end; ++i) {
    FindInputs(task, i, lines, &t);
    if (!AnyOutlier(t)) continue;
    const Tile tile = TileAt(i);
    for (int64_t j = task.column_begin; j < task.column_end; j += gemm_->nr) {
      ComputeTile(task, tile, t, j);
    }
  }
}

// The taps are found in the packed filter, which is all that is left of it:
// within a few units in the last place of the largest one.
void Winograd::ComputeTile(const Task& task, const Tile& tile,
                           const WinogradInputF32& t, int64_t column) const {
  const Window &h = spec_.shape.window.h, &w = spec_.shape.window.w;
  const int64_t nr = gemm_->nr, channels = spec_.shape.in_channels;
  const int64_t m = spec_.m, a = m + 2, p = tile.line * m, q = tile.column * m;
  const int64_t n = std::min<int64_t>(nr, task.column_end - column);
  const int64_t height = std::min<int64_t>(m, h.out - p);
  const int64_t width = std::min<int64_t>(m, w.out - q);
  WinogradTap tap[3];
  (spec_.m == 2   ? FindWinogradTaps<1>
   : spec_.m == 4 ? FindWinogradTaps<2>
                  : FindWinogradTaps<3>)(tap);
  float sums[36][kWinogradMaxColumns];  // of up to 6x6 outputs
  for (int64_t j = 0; j < n; ++j) {
    const float bias = task.bias != nullptr ? task.bias[column + j] : 0;
    for (auto& row : sums) row[j] = bias;
  }
  float taps[kWinogradMaxColumns];
  for (int64_t c = 0; c < channels; ++c) {
    const float* const u = task.packed + column * area_ * channels + c * nr;
    const auto element = [&](int64_t r, int64_t s) {
      return u + (r * a + s) * channels * nr;
    };
    for (int64_t r = 0; r < 3; ++r) {
      for (int64_t s = 0; s < 3; ++s) {
        const float scale = tap[r].scale * tap[s].scale;
        const auto line = [&](int of_r, int64_t j) {
          const float plus = element(of_r, tap[s].plus)[j];
          return tap[s].minus < 0 ? plus
                                  : plus - element(of_r, tap[s].minus)[j];
        };
        for (int64_t j = 0; j < n; ++j) {
          const float plus = line(tap[r].plus, j);
          taps[j] =
              scale * (tap[r].minus < 0 ? plus : plus - line(tap[r].minus, j));
        }
        for (int64_t i = 0; i < height * width; ++i) {
          const WinogradLineF32& from = t.lines[i / width + r];
          const auto at = static_cast<size_t>(i % width + s);
          if (from.pixel_stride == 0 || at < t.first || at >= t.end) continue;
          const float x = from.x[(at - t.first) * channels + c];
          for (int64_t j = 0; j < n; ++j) sums[i][j] += x * taps[j];
        }
      }
    }
  }
  const ActivationFunction& act = spec_.activation;
  for (int64_t i = 0; i < height * width; ++i) {
    float* const y =
        task.y +
        ((tile.image * h.out + p + i / width) * w.out + q + i % width) *
            spec_.shape.out_channels +
        column;
    for (int64_t j = 0; j < n; ++j) {
      const float above = std::max(sums[i][j], act.lower());
      y[j] = std::min(above, act.upper());  // NaN stays NaN
    }
    if (!act.is_clamp()) activator_.Apply(y, n, y);
  }
}

}  // namespace mace::cpu
