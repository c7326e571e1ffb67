// CheckOp: one call that runs a node on the CPU reference and on all paths of
// the device under test (check_paths.h), and compares.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_CHECK_OP_H_
#define MACE_TESTING_CHECK_OP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace::testing {

// A tensor with its contents, densely stored.
struct TestTensor {
  TensorType type;
  std::vector<uint8_t> bytes;
  // Known when the node is prepared. The operand's data are then `bytes`, or
  // `fp16` for a device that takes them as they are stored.
  bool constant = false;
  // The same values as they are stored (Operand::stored), for devices that take
  // them as such; empty: there are none. Bytes of quantized weights are in it,
  // too.
  std::vector<uint16_t> fp16;
  DataType stored = DataType::kInvalid;           // as what
  QuantizationPtr stored_quantization = nullptr;  // see Operand

  const float* f32() const;
};

// Make tensors of these types from their elements, row-major. The shape must
// hold as many elements as there are, which is expected.
TestTensor F32(Shape shape, const std::vector<float>& values);
TestTensor I32(Shape shape, const std::vector<int32_t>& values);
TestTensor I64(Shape shape, const std::vector<int64_t>& values);
TestTensor Bool(Shape shape, const std::vector<uint8_t>& values);
// Quantized values, i8 or u8, with one scale and zero point for all.
// `quantized` has the values themselves, not real numbers.
TestTensor Quantized(DataType dtype, Shape shape,
                     const std::vector<int32_t>& quantized, float scale,
                     int32_t zero_point);
// The same tensor, known when the node is prepared.
TestTensor Const(TestTensor tensor);
// A constant f32 rounded to kF16, kBF16, or quantized (kI8, kU8, kI8Blocks,
// kU4Blocks; see stored_weight.h). It has the rounded values twice: stored so,
// and as floats, so that both kinds of devices compute the same.
TestTensor StoredAs(DataType stored, TestTensor tensor);
// The same, quantized to int8 with this quantization.
TestTensor StoredAs(QuantizationPtr quantization, TestTensor tensor);
TestTensor Absent();  // an optional input that is not given
// Uniform in [lo, hi), the same for the same seed on every platform.
TestTensor RandomF32(Shape shape, uint32_t seed, float lo = -1, float hi = 1);

// A node with its operands. Attributes have the types of Attr: {"axis",
// int64_t{1}}, and std::string for texts.
struct OpCase {
  std::string op;
  AttrMap attrs;
  std::vector<TestTensor> inputs;
  int num_outputs = 1;
  // How the model file says that the outputs are quantized; empty: not at all.
  std::vector<QuantizationPtr> output_quantization = {};
};

// One scale for a whole tensor.
QuantizationPtr PerTensor(float scale, int32_t zero_point);

// Infers and runs the node on the scalar CPU reference, and expects outputs of
// the expected types within `tolerance` (absolute, or relative to the largest
// magnitude of the tensor if that is above 1) of `expected`. Other types than
// f32 must be equal, and NaN is equal to NaN. Then runs it on every other path
// (CheckPaths), and expects the reference's outputs.
//
// Each run also expects that Supports and Prepare agree. Each run on the CPU
// expects that inputs stay as they are, and that the result is the same to the
// bit with output 0 over an input, as near as the kernel allows; outputs and
// scratch are filled with NaN first, and inputs and outputs end at the end of
// their allocation, for the sanitizers.
void CheckOp(const OpCase& c, const std::vector<TestTensor>& expected,
             float tolerance = 1e-5f);

// The same without literal values: only the paths against the reference. For
// nodes whose reference is checked elsewhere.
void CheckOp(const OpCase& c, float tolerance = 1e-5f);

// Expects shape inference to fail with a message that contains `text`.
void ExpectInferError(const OpCase& c, const std::string& text);

// Expects the reference kernel's Run to fail with a message that contains
// `text`. Inference and Prepare must succeed.
void ExpectRunError(const OpCase& c, const std::string& text);

// Infers the node and returns its output types; fails the test on an error.
std::vector<TensorType> InferTypes(const OpCase& c);

}  // namespace mace::testing

#endif  // MACE_TESTING_CHECK_OP_H_
