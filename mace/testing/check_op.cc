// Running a node on all paths.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/check_op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "mace/base/fp16.h"
#include "mace/graph/stored_weight.h"
#include "mace/ops/common/op.h"
#include "mace/testing/check_paths.h"

namespace mace::testing {
namespace {

template <typename T>
TestTensor Make(DataType dtype, Shape shape, const std::vector<T>& values) {
  TestTensor t;
  t.type.dtype = dtype;
  t.type.shape = std::move(shape);
  EXPECT_EQ(NumElements(t.type.shape), static_cast<int64_t>(values.size()))
      << ToString(t.type);
  t.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  }
  return t;
}

}  // namespace

Node MakeNode(const OpCase& c) {
  Node node;
  node.name = "test";
  node.op = c.op;
  node.attrs = c.attrs;
  for (const TestTensor& t : c.inputs) {
    Operand operand;
    operand.type = t.type;
    if (t.constant) operand.data = t.bytes.data();
    node.inputs.push_back(operand);
  }
  node.outputs.resize(c.num_outputs);
  node.output_quantization = c.output_quantization;
  return node;
}

namespace {

// Runs the kernel once more with output 0 lying over an input, as near as it
// says is safe, in bytes that were NaN: the result must be the same to the bit.
void CheckOverlaps(Kernel& kernel, const OpCase& c, const RunArgs& args,
                   const std::vector<TestTensor>& outputs) {
  for (const Overlap& overlap : kernel.overlaps()) {
    ASSERT_LT(static_cast<size_t>(overlap.input), c.inputs.size());
    const TestTensor& input = c.inputs[overlap.input];
    if (input.constant) continue;
    const int64_t distance = overlap.safe_distance_bytes;
    SCOPED_TRACE("output " + std::to_string(distance) + " bytes before input " +
                 std::to_string(overlap.input));
    const auto in_bytes = static_cast<int64_t>(input.bytes.size());
    const auto out_bytes = static_cast<int64_t>(outputs[0].bytes.size());
    // output at max(0, -distance), input at max(0, distance)
    const int64_t out_at = std::max<int64_t>(0, -distance);
    const int64_t in_at = std::max<int64_t>(0, distance);
    std::vector<uint8_t> memory(
        std::max(out_at + out_bytes, in_at + in_bytes) + 1, 0xff);
    std::copy(input.bytes.begin(), input.bytes.end(), memory.begin() + in_at);
    RunArgs overlapping = args;
    overlapping.inputs[overlap.input] = {memory.data() + in_at};
    overlapping.outputs[0] = {memory.data() + out_at};
    EXPECT_TRUE(kernel.Run(overlapping).ok());
    EXPECT_TRUE(std::equal(outputs[0].bytes.begin(), outputs[0].bytes.end(),
                           memory.begin() + out_at));
  }
}

// Runs the node; empty if it cannot be prepared, which fails the test. What its
// Run returns goes to `status`.
std::vector<TestTensor> RunOn(const OpCase& c, const CpuOptions& options,
                              Status* status) {
  Node node = MakeNode(c);
  const Status inferred = Infer(node);
  EXPECT_TRUE(inferred.ok()) << inferred.information();
  if (!inferred.ok()) return {};
  auto device = CpuDevice::Create(options, std::make_shared<PackedWeights>());
  EXPECT_TRUE(device.ok());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (c.inputs[i].fp16.empty() || !(*device)->TakesFp16(node, i)) continue;
    node.inputs[i].data = c.inputs[i].fp16.data();
    node.inputs[i].stored = c.inputs[i].stored;
    node.inputs[i].stored_quantization = c.inputs[i].stored_quantization;
  }
  const auto work = (*device)->Supports(node);
  auto kernel = (*device)->Prepare(node);
  ExpectAgreement(work, kernel);
  EXPECT_TRUE(kernel.ok()) << kernel.status().information();
  if (!kernel.ok()) return {};

  RunArgs args;
  // Copies, so that a kernel that writes its inputs is found out.
  std::vector<TestTensor> inputs = c.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TestTensor& t = inputs[i];
    const bool absent = t.type.dtype == DataType::kInvalid ||
                        node.inputs[i].stored != DataType::kInvalid;
    args.inputs.push_back(
        {absent ? nullptr : static_cast<void*>(t.bytes.data())});
  }
  std::vector<TestTensor> outputs;
  for (const TensorType& type : node.outputs) {
    TestTensor t;
    t.type = type;
    t.bytes.assign(Bytes(type), 0xff);  // NaN in every float type
    outputs.push_back(std::move(t));
  }
  for (TestTensor& t : outputs) args.outputs.push_back({t.bytes.data()});
  auto scratch = AlignedBuffer::Create((*kernel)->scratch_bytes());
  EXPECT_TRUE(scratch.ok());
  std::memset(scratch->data(), 0xff, scratch->size());
  args.scratch = {scratch->data()};
  *status = (*kernel)->Run(args);
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(inputs[i].bytes, c.inputs[i].bytes)
        << "input " << i << " changed";
    if (args.inputs[i].handle != nullptr) {
      args.inputs[i].handle = inputs[i].bytes.data();
    }
  }
  if (status->ok()) CheckOverlaps(**kernel, c, args, outputs);
  return outputs;
}

}  // namespace

void ExpectAgreement(const Result<NodeWork>& work,
                     const Result<KernelPtr>& kernel) {
  EXPECT_EQ(work.status().code(), kernel.status().code());
  EXPECT_EQ(work.status().information(), kernel.status().information());
  if (!work.ok() || !kernel.ok()) return;
  EXPECT_EQ(work->macs, (*kernel)->macs());
  EXPECT_EQ(work->renames_only, (*kernel)->renames_only());
}

std::vector<TestTensor> RunOn(const OpCase& c, const CpuOptions& options) {
  Status status;
  auto outputs = RunOn(c, options, &status);
  EXPECT_TRUE(status.ok()) << status.information();
  return outputs;
}

void ExpectSame(const std::vector<TestTensor>& got,
                const std::vector<TestTensor>& want, float tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    SCOPED_TRACE("output " + std::to_string(k));
    ASSERT_EQ(ToString(got[k].type), ToString(want[k].type));
    if (got[k].type.dtype != DataType::kF32) {
      EXPECT_EQ(got[k].bytes, want[k].bytes);
      continue;
    }
    const int64_t n = NumElements(got[k].type.shape);
    float scale = 1;
    for (int64_t i = 0; i < n; ++i) {
      const float w = std::fabs(want[k].f32()[i]);
      if (std::isfinite(w)) scale = std::max(scale, w);
    }
    int shown = 0;
    for (int64_t i = 0; i < n && shown < 5; ++i) {
      const float g = got[k].f32()[i], w = want[k].f32()[i];
      if (g == w || (std::isnan(g) && std::isnan(w))) continue;
      if (!(std::fabs(g - w) <= tolerance * scale)) {
        ADD_FAILURE() << "element " << i << ": got " << g << ", want " << w;
        ++shown;
      }
    }
  }
}

const float* TestTensor::f32() const {
  return reinterpret_cast<const float*>(bytes.data());
}

TestTensor F32(Shape shape, const std::vector<float>& values) {
  return Make(DataType::kF32, std::move(shape), values);
}
TestTensor I32(Shape shape, const std::vector<int32_t>& values) {
  return Make(DataType::kI32, std::move(shape), values);
}
TestTensor I64(Shape shape, const std::vector<int64_t>& values) {
  return Make(DataType::kI64, std::move(shape), values);
}
TestTensor Bool(Shape shape, const std::vector<uint8_t>& values) {
  return Make(DataType::kBool, std::move(shape), values);
}
TestTensor Quantized(DataType dtype, Shape shape,
                     const std::vector<int32_t>& quantized, float scale,
                     int32_t zero_point) {
  const std::vector<uint8_t> bytes(quantized.begin(), quantized.end());
  TestTensor tensor = Make(dtype, std::move(shape), bytes);
  tensor.type.quantization = PerTensor(scale, zero_point);
  return tensor;
}
QuantizationPtr PerTensor(float scale, int32_t zero_point) {
  return std::make_shared<const Quantization>(
      Quantization{{scale}, {zero_point}, -1});
}
TestTensor Const(TestTensor tensor) {
  tensor.constant = true;
  return tensor;
}
namespace {

// Stores `n` elements as a block of a row with a scale, and perhaps a zero
// point, that holds all of them.
void StoreBlock(const float* from, int64_t n, const QuantizedRows& rows,
                int64_t row, int64_t block, uint8_t* bytes) {
  const float least = std::fmin(0, *std::min_element(from, from + n));
  const float most = std::fmax(0, *std::max_element(from, from + n));
  const float largest = std::fmax(most, -least);
  float scale = rows.zeros != nullptr ? (most - least) / 15
                                      : largest / (rows.bits == 4 ? 7 : 127);
  float zero = rows.bits == 4 ? 8 : 0;
  const int64_t at = row * rows.row_scales + block;
  const auto place = [bytes, &rows](const void* of) {
    return bytes + (static_cast<const uint8_t*>(of) - rows.values);
  };
  if (rows.has_blocks) {
    const uint16_t fp16 = ToFp16(scale);
    scale = FromFp16(fp16);
    std::memcpy(place(rows.scales) + 2 * at, &fp16, sizeof(fp16));
  } else {
    std::memcpy(place(rows.scales) + 4 * at, &scale, sizeof(scale));
  }
  if (rows.zeros != nullptr) {
    const uint16_t fp16 = ToFp16(scale > 0 ? -least / scale : 0);
    zero = FromFp16(fp16);
    std::memcpy(place(rows.zeros) + 2 * at, &fp16, sizeof(fp16));
  }
  uint8_t* values = bytes + row * rows.row_bytes;
  for (int64_t i = 0; i < n; ++i) {
    const float units = scale > 0 ? from[i] / scale + zero : zero;
    const auto value = static_cast<int>(std::lround(units));
    if (rows.bits == 8) {
      values[block * kValuesPerBlock + i] = static_cast<uint8_t>(value);
    } else {
      values[block * 16 + i % 16] |=
          static_cast<uint8_t>(std::clamp(value, 0, 15) << (i < 16 ? 0 : 4));
    }
  }
}

// Stores rows as int8 or int4 (stored_weight.h).
void StoreQuantized(TestTensor* tensor) {
  Operand weight;
  weight.type = tensor->type;
  weight.stored = tensor->stored;
  const auto bytes = static_cast<size_t>(StoredBytes(weight));
  tensor->fp16.assign((bytes + 1) / 2, 0);
  auto* quantized = reinterpret_cast<uint8_t*>(tensor->fp16.data());
  weight.data = quantized;
  const QuantizedRows rows(weight);
  const int64_t block = rows.has_blocks ? kValuesPerBlock : rows.depth;
  for (int64_t r = 0; r < rows.rows && rows.depth > 0; ++r) {
    for (int64_t b = 0; b < rows.row_scales; ++b) {
      StoreBlock(tensor->f32() + r * rows.depth + b * block,
                 std::min(block, rows.depth - b * block), rows, r, b,
                 quantized);
    }
  }
  WidenStored(weight, reinterpret_cast<float*>(tensor->bytes.data()));
}

}  // namespace

TestTensor StoredAs(DataType stored, TestTensor tensor) {
  if (IsStoredQuantized(stored)) {
    tensor.stored = stored;
    StoreQuantized(&tensor);
    return Const(std::move(tensor));
  }
  const bool is_fp16 = stored == DataType::kF16;
  auto* floats = reinterpret_cast<float*>(tensor.bytes.data());
  for (int64_t i = 0; i < NumElements(tensor.type.shape); ++i) {
    const uint16_t h = is_fp16 ? ToFp16(floats[i]) : ToBfloat16(floats[i]);
    tensor.fp16.push_back(h);
    floats[i] = is_fp16 ? FromFp16(h) : FromBfloat16(h);
  }
  tensor.stored = stored;
  return Const(std::move(tensor));
}
TestTensor StoredAs(QuantizationPtr quantization, TestTensor tensor) {
  const Shape& shape = tensor.type.shape;
  const int64_t n = NumElements(shape);
  int64_t extent = 1, inner = n;
  if (quantization->is_per_axis()) {
    extent = shape[quantization->axis];
    inner = 1;
    for (int d = quantization->axis + 1; d < tensor.type.rank(); ++d) {
      inner *= shape[d];
    }
  }
  auto* floats = reinterpret_cast<float*>(tensor.bytes.data());
  tensor.fp16.assign((static_cast<size_t>(n) + 1) / 2, 0);
  auto* quantized = reinterpret_cast<int8_t*>(tensor.fp16.data());
  for (int64_t i = 0; i < n; ++i) {
    const size_t s = static_cast<size_t>(i / inner % extent);
    const float scale = quantization->scales[s];
    const int32_t zero = quantization->zero_points[s];
    quantized[i] = static_cast<int8_t>(
        NearestQuantized(floats[i] / scale, zero, INT8_MIN, INT8_MAX));
    floats[i] = scale * static_cast<float>(quantized[i] - zero);
  }
  tensor.stored = DataType::kI8;
  tensor.stored_quantization = std::move(quantization);
  return Const(std::move(tensor));
}
TestTensor Absent() { return TestTensor(); }

TestTensor RandomF32(Shape shape, uint32_t seed, float lo, float hi) {
  std::mt19937 rng(seed);
  std::vector<float> values(NumElements(shape));
  for (float& v : values) {
    v = lo + (hi - lo) * static_cast<float>(rng() >> 8) / (1 << 24);
  }
  return F32(std::move(shape), values);
}

void CheckOp(const OpCase& c, const std::vector<TestTensor>& expected,
             float tolerance) {
  SCOPED_TRACE("reference");
  ExpectSame(RunOn(c, {1, 0, true}), expected, tolerance);
  CheckOp(c, tolerance);
}

void CheckOp(const OpCase& c, float tolerance) {
  const auto reference = RunOn(c, {1, 0, true});
  if (!reference.empty()) CheckPaths(c, reference, tolerance);
}

void ExpectInferError(const OpCase& c, const std::string& text) {
  Node node = MakeNode(c);
  const Status status = Infer(node);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.information().find(text), std::string::npos)
      << "got: " << status.information();
}

void ExpectRunError(const OpCase& c, const std::string& text) {
  Status status;
  RunOn(c, {1, 0, true}, &status);
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.information().find(text), std::string::npos)
      << "got: " << status.information();
}

std::vector<TensorType> InferTypes(const OpCase& c) {
  Node node = MakeNode(c);
  const Status status = Infer(node);
  EXPECT_TRUE(status.ok()) << status.information();
  return node.outputs;
}

}  // namespace mace::testing
