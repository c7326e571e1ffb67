// Attributes of GridSample.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_GRID_SAMPLE_H_
#define MACE_OPS_GRID_SAMPLE_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

enum class GridMode { kLinear, kNearest, kCubic };
enum class GridPadding { kZeros, kBorder, kReflection };

struct GridSampleAttrs {
  std::string mode = "LINEAR";
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
