// The table of ops.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"

namespace mace::hexagon {

extern const OpDef kConvOp, kDepthwiseOp, kPoolOp, kBinaryOp, kLookupOp,
    kFillOp, kMoveOp, kGatherOp, kReduceOp, kSoftmaxOp, kResizeBilinearOp,
    kMatMulOp, kArgMaxOp, kQuantizeOp, kLookupWordsOp, kResizeBilinearRealOp;

const OpDef* const kOps[kNumOpCodes] = {
    &kConvOp,   &kDepthwiseOp, &kPoolOp,           &kBinaryOp,
    &kLookupOp, &kFillOp,      &kMoveOp,           &kGatherOp,
    &kReduceOp, &kSoftmaxOp,   &kResizeBilinearOp, &kMatMulOp,
    &kArgMaxOp, &kQuantizeOp,  &kLookupWordsOp,    &kResizeBilinearRealOp,
};

}  // namespace mace::hexagon
