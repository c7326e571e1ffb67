// The operations of hexagon_nn that MACE uses.
// SPDX-License-Identifier: Apache-2.0
//
// Their inputs in order; x, a, b and y are uint8 unless noted, `list` is int32,
// a shape is a constant without data (GraphBuilder::Sizes), min and max are
// floats. Outputs are y, its min and its max unless noted.
//
//   INPUT              none; outputs: the inputs of the graph, without ranges
//   OUTPUT             the outputs of the graph, without ranges; no outputs
//   Supernode,         x, filter, x min, x max, filter min, filter max,
//   DepthwiseSupernode   shape [1, stride h, stride w, 1], bias i32, bias min,
//                        bias max, y min, y max [, scale of each channel / the
//                        largest scale]
//   MaxPool, AvgPool   x, min, max, shape [1, window h, window w, 1],
//                        shape [1, stride h, stride w, 1]
//   Add, Sub, Minimum, a, b, a min, a max, b min, b max, y min, y max
//   Maximum
//   Mul                a, b, a min, a max, b min, b max; y is int32
//   Requantize_32to8   x (int32), min, max, y min, y max
//   Requantize_8to8    x, min, max, y min, y max
//   Clamp              x, min, max, lowest, highest; keeps the range
//   Tanh, Sigmoid,     x, min, max; y has a range fixed by the operation
//   Softmax
//   Concat             list {3}, all x, all min, all max
//   Reshape, Transpose x, list of 4 sizes or axes, min, max
//   DepthToSpace,      x, list {block size}, min, max
//   SpaceToDepth
//   Pad                x, min, max, list [4, 2] before and after, value (float)
//   Mean               x, min, max, list of axes, y min, y max
//   ResizeBilinear     x, list {height, width}, min, max, list {align corners}
//
// Filters are uint8 [height, width, inputs, outputs], or [height, width,
// channels, 1] of a depthwise one. Source: docs/ops.txt of nnlib.
#ifndef MACE_HEXAGON_NNLIB_OPS_H_
#define MACE_HEXAGON_NNLIB_OPS_H_

#include <cstdint>

namespace mace::hexagon::nnlib {

// In the order of kOpNames. An index of ids, not a number of the library.
enum Op : uint8_t {
  kOpInput,
  kOpOutput,
  kOpConv,
  kOpDepthwise,
  kOpMaxPool,
  kOpAvgPool,
  kOpAdd,
  kOpSub,
  kOpMul,
  kOpMinimum,
  kOpMaximum,
  kOpRequantize32,
  kOpRequantize8,
  kOpClamp,
  kOpTanh,
  kOpSigmoid,
  kOpSoftmax,
  kOpConcat,
  kOpReshape,
  kOpTranspose,
  kOpPad,
  kOpMean,
  kOpDepthToSpace,
  kOpSpaceToDepth,
  kOpResizeBilinear,
  kNumOps,
};

// Their numbers differ from version to version; their names do not.
// Library::Open looks the numbers up.
constexpr const char* kOpNames[kNumOps] = {
    "INPUT",
    "OUTPUT",
    "Supernode_8x8p32to8",
    "DepthwiseSupernode_8x8p32to8",
    "QuantizedMaxPool_8",
    "QuantizedAvgPool_8",
    "QuantizedAdd_8p8to8",
    "QuantizedSub_8p8to8",
    "QuantizedMul_8x8to32",
    "QuantizedMinimum_8",
    "QuantizedMaximum_8",
    "Requantize_32to8",
    "Requantize_8to8",
    "QuantizedClamp_8",
    "QuantizedTanh_8",
    "QuantizedSigmoid_8",
    "QuantizedSoftmax_8",
    "QuantizedConcat_8",
    "QuantizedReshape",
    "Transpose_8",
    "QuantizedPad_8",
    "QuantizedMean_8",
    "DepthToSpace_8",
    "SpaceToDepth_8",
    "QuantizedResizeBilinear_8",
};

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_OPS_H_
