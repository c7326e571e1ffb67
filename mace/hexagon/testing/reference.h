// TFLite's integer arithmetic in plain loops, which the DSP's results are
// compared with.
// SPDX-License-Identifier: Apache-2.0
//
// It is written from the published definition of the arithmetic and shares no
// code with the executor.
#ifndef MACE_HEXAGON_TESTING_REFERENCE_H_
#define MACE_HEXAGON_TESTING_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mace/hexagon/packing/filters.h"
#include "mace/hexagon/protocol/ops.h"
#include "mace/hexagon/testing/random.h"

namespace mace::hexagon::testing {

// x times the factor, with two roundings, as TFLite's
// MultiplyByQuantizedMultiplier.
int32_t ScaleTwice(int32_t x, FixedParams factor);

// clamp(value, y.least, y.most) as a byte, without adding the zero point; and
// byte i of x as int8 or uint8.
uint8_t ToByte(int64_t value, const OutputRange& y);
int32_t ValueAt(const Bytes& x, size_t i, int32_t is_signed);

// Each computes the op of its parameters (protocol/ops.h) and returns y.
// Parameters that only tell the executor how (depth, filter_offset, rows, tile,
// passes, has_left_shifts) are not read. Filters are as `w` tells, unpacked;
// taps are row by row. REQUIRES: operands have the shapes of the parameters.
Bytes ReferenceConv(const ConvParams& p, const Bytes& x,
                    const QuantizedFilter& w, const Scaling& scaling);
Bytes ReferenceDepthwise(const DepthwiseParams& p, const Bytes& x,
                         const QuantizedFilter& w, const Scaling& scaling);
Bytes ReferencePool(const PoolParams& p, const Bytes& x);
Bytes ReferenceBinary(const BinaryParams& p, const Bytes& a, const Bytes& b);
Bytes ReferenceReduce(const ReduceParams& p, const Bytes& x);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_REFERENCE_H_
