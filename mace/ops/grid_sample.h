// Attributes of GridSample.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GRID_SAMPLE_H_
#define MACE_OPS_GRID_SAMPLE_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

// How the elements around a position make its value. kNearest rounds halves to
// even; kCubic has Keys' kernel with a = -0.75.
enum class GridMode { kLinear, kNearest, kCubic };
// What lies outside of x: 0, the nearest element, or x mirrored. It is mirrored
// at the edges of the first and the last element, or at their centres with
// align_corners.
enum class GridPadding { kZeros, kBorder, kReflection };

// A coordinate g along an axis of n elements is at element
//
//  pixels           g
//  align_corners    (g + 1) / 2 * (n - 1)
//  else             ((g + 1) * n - 1) / 2
//
// where element i covers [i - 1/2, i + 1/2).
struct GridSampleAttrs {
  // LINEAR, NEAREST or CUBIC.
  std::string mode = "LINEAR";
  // ZEROS, BORDER or REFLECTION.
  std::string padding = "ZEROS";
  bool align_corners = false;
  bool pixels = false;

  template <typename V>
  void Fields(V& v) {
    v("mode", mode);
    v("padding", padding);
    v("align_corners", align_corners);
    v("pixels", pixels);
  }
};

// Errors: MACE_INVALID_MODEL for an unknown name.
Result<GridMode> GridModeOf(const Node& node, const GridSampleAttrs& attrs);
Result<GridPadding> GridPaddingOf(const Node& node,
                                  const GridSampleAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_GRID_SAMPLE_H_
