// The operations of hexagon_nn in plain loops on floats, as its documents
// describe them: an independent reading of them, for the stand-in.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_TESTING_STAND_IN_COMPUTE_H_
#define MACE_HEXAGON_TESTING_STAND_IN_COMPUTE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace mace::hexagon::testing {

// A dense tensor. The shape is [batches, height, width, depth], of a filter
// [height, width, inputs, outputs]. There is no element type: the op that reads
// the tensor takes its bytes as uint8, int32 or float. A constant that is only
// a shape has no bytes.
struct NnTensor {
  int64_t shape[4] = {1, 1, 1, 1};
  std::vector<uint8_t> bytes;

  // Of the shape, whether or not there are bytes.
  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
};

// Computes one operation, by its name in kOpNames, and fills `outputs`: values,
// min and max. Returns an empty text, or what is wrong: an unknown operation,
// as INPUT and OUTPUT are here, or a padding (NnPadding) that it cannot have.
// REQUIRES: as many inputs as ArityOf tells, with data and shapes that fit.
std::string Compute(const std::string& op, uint32_t padding,
                    const std::vector<const NnTensor*>& inputs,
                    std::vector<NnTensor>* outputs);

// How many inputs and outputs the operation may have (INPUT: the maximum of
// outputs); all 0: unknown.
struct NnArity {
  size_t least_inputs = 0, most_inputs = 0, outputs = 0;
};
NnArity ArityOf(const std::string& op);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_STAND_IN_COMPUTE_H_
