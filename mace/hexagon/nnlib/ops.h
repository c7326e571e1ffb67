// The operations of hexagon_nn that MACE uses.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_NNLIB_OPS_H_
#define MACE_HEXAGON_NNLIB_OPS_H_

#include <cstdint>

namespace mace::hexagon::nnlib {

// In the order of kOpNames.
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
