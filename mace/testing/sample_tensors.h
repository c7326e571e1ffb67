// Tensors of sample nodes, and the table of these (mace/ops/testing).
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_SAMPLE_TENSORS_H_
#define MACE_TESTING_SAMPLE_TENSORS_H_

#include <utility>
#include <vector>

#include "mace/testing/check_op.h"

namespace mace {
namespace testing {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

// A random input, a random weight, constant int32 operands of rank 1 and 0, and
// the NHWC shape of most samples.
inline TestTensor X(Shape shape) { return RandomF32(std::move(shape), 1); }
inline TestTensor W(Shape shape) {
  return Const(RandomF32(std::move(shape), 2));
}
inline TestTensor Known(const std::vector<int32_t>& values) {
  return Const(I32({static_cast<int64_t>(values.size())}, values));
}
inline TestTensor Scalar(int32_t value) { return Const(I32({}, {value})); }
inline Shape Image() { return {1, 4, 4, 4}; }

}  // namespace testing

namespace samples {
using namespace testing;  // NOLINT: all that a sample consists of
}  // namespace samples

// The samples of this build, sorted by name. //mace:op_table.bzl writes the
// table from the file names in mace/ops/testing, as for kOps.
struct SampleEntry {
  const char* name;
  testing::OpCase (*sample)();
};
extern const SampleEntry kSamples[];
extern const int kNumSamples;

}  // namespace mace

#endif  // MACE_TESTING_SAMPLE_TENSORS_H_
