// Attributes of Resize.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_RESIZE_H_
#define MACE_OPS_RESIZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// Pixel i of y is at position p(i) of x, along an axis of `in` pixels that
// becomes one of `out`. With scale = out / in, or as `scales` says:
//
//  ASYMMETRIC           i / scale
//  HALF_PIXEL           (i + 1/2) / scale - 1/2
//  ALIGN_CORNERS        i (in - 1) / (out - 1); 0 if out is 1
//  PYTORCH_HALF_PIXEL   as HALF_PIXEL; 0 if out is 1
//  TF_HALF_PIXEL_NN     (i + 1/2) / scale
//
// NEAREST rounds the position: FLOOR, CEIL, or to the nearest pixel, of a tie
// down (ROUND_PREFER_FLOOR) or up (ROUND_PREFER_CEIL). Positions are float32,
// as in the frameworks.
struct ResizeAttrs {
  std::string mode = "NEAREST";           // NEAREST, LINEAR, CUBIC
  std::vector<int64_t> size;              // [h, w] of y
  std::vector<float> scales;              // [h, w], used if there is no size
  std::string coordinate = "ASYMMETRIC";  // how pixels of y map to those of x
  std::string nearest_mode = "FLOOR";     // how NEAREST rounds
  float cubic_coeff = -0.75f;             // a of the cubic kernel
  bool exclude_outside = false;           // CUBIC: drop taps outside x
  // CUBIC: how many positions between two pixels have weights of their own, as
  // in TensorFlow's table; 0: all positions. Above 0, by_step counts as true.
  int64_t cubic_steps = 0;
  // Positions are multiples of in / out, as in TensorFlow and TFLite, instead
  // of quotients by out / in, as in ONNX. Where a position is next to a whole
  // number or a tie, its last bit decides which pixel NEAREST takes.
  bool by_step = false;

  template <typename V>
  void Fields(V& v) {
    v("mode", mode);
    v("size", size);
    v("scales", scales);
    v("coordinate", coordinate);
    v("nearest_mode", nearest_mode);
    v("cubic_coeff", cubic_coeff);
    v("exclude_outside", exclude_outside);
    v("cubic_steps", cubic_steps);
    v("by_step", by_step);
  }
};

// The input pixels that each output pixel along one axis reads, and their
// weights, which add up to 1. Pixels outside of x are the nearest one inside. y
// is computed from the taps of both axes: a sum over num_taps x num_taps
// pixels, whose weights are products.
struct ResizeTaps {
  int num_taps = 1;            // 1, 2 or 4
  std::vector<int64_t> index;  // [out][num_taps], all inside the input
  std::vector<float> weight;   // [out][num_taps]
};

// Returns the taps of axis 0 (height) or 1 (width). REQUIRES: Infer has
// accepted the node, whose attributes `attrs` are.
ResizeTaps TapsOf(const ResizeAttrs& attrs, const Node& node, int axis);

}  // namespace mace

#endif  // MACE_OPS_RESIZE_H_
