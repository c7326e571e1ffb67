// Compares kernels with fp16 activations with the float reference, both the
// micro-kernels of this CPU and the scalar ones.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstring>

#include "mace/base/fp16.h"
#include "mace/ops/common/op.h"
#include "mace/testing/check_paths.h"

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;

// The error of rounding inputs, products and random sums of a few hundred
// products to fp16, relative to the largest output; far below the bounds of the
// micro-kernels.
constexpr float kTolerance = 2e-2f;

std::vector<uint8_t> Fp16Values(const TestTensor& t) {
  const int64_t n = NumElements(t.type.shape);
  std::vector<uint8_t> bytes(2 * n);
  NarrowToFp16(t.f32(), n, reinterpret_cast<uint16_t*>(bytes.data()));
  return bytes;
}

TestTensor Floats(const std::vector<uint8_t>& fp16, Shape shape) {
  std::vector<float> values(fp16.size() / 2);
  WidenFp16(reinterpret_cast<const uint16_t*>(fp16.data()),
            static_cast<int64_t>(values.size()), values.data());
  return F32(std::move(shape), values);
}

// Runs the node with f16 in place of its f32 activations.
std::vector<TestTensor> RunFp16(const OpCase& c, const CpuOptions& options) {
  Node node = MakeNode(c);
  EXPECT_TRUE(Infer(node).ok());
  auto device = CpuDevice::Create(options, std::make_shared<PackedWeights>());
  RunArgs args;
  std::vector<std::vector<uint8_t>> bytes;
  bytes.reserve(node.inputs.size() + node.outputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (c.inputs[i].fp16.empty()) continue;
    node.inputs[i].data = c.inputs[i].fp16.data();
    node.inputs[i].stored = c.inputs[i].stored;
  }
  EXPECT_TRUE((*device)->ComputesFp16(node));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Operand& operand = node.inputs[i];
    const bool is_fp16 =
        operand.type.dtype == DataType::kF32 && operand.data == nullptr;
    bytes.push_back(is_fp16 ? Fp16Values(c.inputs[i]) : c.inputs[i].bytes);
    args.inputs.push_back({operand.present() ? bytes.back().data() : nullptr});
    if (is_fp16) operand.type.dtype = DataType::kF16;
  }
  for (TensorType& type : node.outputs) {
    type.dtype = DataType::kF16;
    bytes.emplace_back(Bytes(type), 0xff);  // NaN
    args.outputs.push_back({bytes.back().data()});
  }
  auto kernel = (*device)->Prepare(node);
  EXPECT_TRUE(kernel.ok()) << kernel.status().information();
  if (!kernel.ok()) return {};
  auto scratch = AlignedBuffer::Create((*kernel)->scratch_bytes());
  std::memset(scratch->data(), 0xff, scratch->size());
  args.scratch = {scratch->data()};
  EXPECT_TRUE((*kernel)->Run(args).ok());
  std::vector<TestTensor> outputs;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    outputs.push_back(
        Floats(bytes[node.inputs.size() + i], node.outputs[i].shape));
  }
  return outputs;
}

void CheckFp16(const OpCase& c, float tolerance = kTolerance) {
  const auto reference = RunOn(c, {1, 0, true});
  for (CpuFeatures features :
       {CpuFeatures{kCpuFp16}, DetectCpuFeatures() | kCpuFp16}) {
#if defined(__aarch64__)
    if ((DetectCpuFeatures() & kCpuFp16) == 0 && features != kCpuFp16) continue;
#endif
    std::vector<TestTensor> one_thread;
    for (int threads : {1, 2}) {
      SCOPED_TRACE(ToString(features) + "/" + std::to_string(threads));
      const auto outputs = RunFp16(c, {threads, features, false, 0});
      ExpectSame(outputs, reference, tolerance);
      if (one_thread.empty()) one_thread = outputs;
      for (size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(outputs[i].bytes, one_thread[i].bytes)
            << "output " << i << " depends on the number of threads";
      }
    }
  }
}

TestTensor Weights(Shape shape, uint32_t seed) {
  return StoredAs(DataType::kF16, RandomF32(std::move(shape), seed));
}

TEST(Fp16Activations, Conv2dPointwise) {
  for (int64_t channels : {1, 16, 24, 33, 1100}) {
    for (int64_t outputs : {1, 16, 24, 47}) {
      SCOPED_TRACE(ToString(Shape{channels, outputs}));
      CheckFp16({"Conv2d",
                 {{"activation", "RELUX"}, {"max_limit", 6.f}},
                 {RandomF32({1, 7, 7, channels}, 1),
                  Weights({outputs, channels, 1, 1}, 2),
                  Const(RandomF32({outputs}, 3))}});
    }
  }
}

TEST(Fp16Activations, Conv2dWindows) {
  for (int64_t channels : {3, 8}) {
    for (int64_t kernel : {3, 5}) {
      for (int64_t stride : {1, 2}) {
        for (int64_t dilation : {1, 2}) {
          SCOPED_TRACE(ToString(Shape{channels, kernel, stride, dilation}));
          CheckFp16({"Conv2d",
                     {{"strides", Ints{stride, stride}},
                      {"dilations", Ints{dilation, dilation}},
                      {"padding", int64_t{1}}},
                     {RandomF32({2, 11, 13, channels}, 4),
                      Weights({20, channels, kernel, kernel}, 5)}});
        }
      }
    }
  }
}

TEST(Fp16Activations, Conv2dInSeveralBlocksOfDepth) {
  for (int64_t channels : {136, 139}) {
    CheckFp16({"Conv2d",
               {{"strides", Ints{2, 2}}, {"padding", int64_t{1}}},
               {RandomF32({1, 5, 7, channels}, 4),
                Weights({18, channels, 3, 3}, 5)}});
  }
}

TEST(Fp16Activations, Conv2dActivations) {
  for (const char* activation : {"RELU", "SIGMOID", "HARDSWISH"}) {
    CheckFp16({"Conv2d",
               {{"activation", activation}},
               {RandomF32({1, 5, 5, 16}, 6), Weights({24, 16, 1, 1}, 7)}});
  }
}

TEST(Fp16Activations, DepthwiseConv2d) {
  for (int64_t kernel : {3, 5, 7}) {
    for (int64_t stride : {1, 2}) {
      for (int64_t channels : {8, 19}) {
        CheckFp16({"DepthwiseConv2d",
                   {{"strides", Ints{stride, stride}},
                    {"padding", int64_t{1}},
                    {"activation", "RELU"}},
                   {RandomF32({2, 9, 11, channels}, 8),
                    Weights({1, channels, kernel, kernel}, 9),
                    Const(RandomF32({channels}, 10))}});
      }
    }
  }
}

TEST(Fp16Activations, Eltwise) {
  for (const char* type : {"SUM", "SUB", "PROD", "SQR_DIFF"}) {
    for (const Shape& other : {Shape{1, 3, 5, 9}, Shape{1, 1, 1, 9}}) {
      CheckFp16({"Eltwise",
                 {{"type", type}, {"activation", "RELU"}},
                 {RandomF32({1, 3, 5, 9}, 11), RandomF32(other, 12)}},
                4e-3f);
    }
  }
}

TEST(Fp16Activations, Pooling) {
  for (int64_t type : {1, 2}) {  // average, maximum
    for (int64_t kernel : {2, 3, 7}) {
      CheckFp16({"Pooling",
                 {{"pooling_type", type},
                  {"kernels", Ints{kernel, kernel}},
                  {"strides", Ints{2, 2}},
                  {"padding", int64_t{1}}},
                 {RandomF32({2, 9, 11, 19}, 17)}},
                2e-3f);
    }
  }
}

TEST(Fp16Activations, FullyConnected) {
  for (int64_t batch : {1, 5}) {
    for (int64_t inputs : {70, 1100}) {
      CheckFp16({"FullyConnected",
                 {},
                 {RandomF32({batch, inputs}, 18), Weights({33, inputs}, 19),
                  Const(RandomF32({33}, 20))}});
    }
  }
}

TEST(Fp16Activations, Activation) {
  for (const char* activation : {"RELU", "HARDSWISH", "TANH"}) {
    CheckFp16({"Activation",
               {{"activation", activation}},
               {RandomF32({1, 7, 5, 13}, 13, -4, 4)}},
              2e-3f);
  }
}

TEST(Fp16Activations, WhatOnlyMoves) {
  CheckFp16({"Concat",
             {{"axis", int64_t{3}}},
             {RandomF32({1, 3, 3, 5}, 14), RandomF32({1, 3, 3, 8}, 15)}},
            1e-3f);
  CheckFp16({"Transpose",
             {{"dims", Ints{0, 3, 1, 2}}},
             {RandomF32({1, 3, 4, 5}, 16)}},
            1e-3f);
}

// Nodes that are not computed in fp16 although the CPU could.
TEST(Fp16Activations, AreNotForEveryNode) {
  const auto computes = [](OpCase c, CpuOptions options) {
    Node node = MakeNode(c);
    EXPECT_TRUE(Infer(node).ok());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      node.inputs[i].stored = c.inputs[i].stored;
    }
    auto device = CpuDevice::Create(options, std::make_shared<PackedWeights>());
    return (*device)->ComputesFp16(node);
  };
  const OpCase conv = {
      "Conv2d", {}, {RandomF32({1, 2, 2, 8}, 1), Weights({8, 8, 1, 1}, 2)}};
  CpuOptions options = {1, kCpuFp16, false};
  EXPECT_TRUE(computes(conv, options));
  OpCase floats = conv;
  floats.inputs[1] = Const(RandomF32({8, 8, 1, 1}, 2));
  EXPECT_FALSE(computes(floats, options)) << "weights stored as floats";
  OpCase constant = {"Eltwise",
                     {{"type", "SUM"}},
                     {RandomF32({1, 8}, 3), Const(RandomF32({1, 8}, 4))}};
  EXPECT_FALSE(computes(constant, options)) << "a float constant";
  options.float32_nodes = {"test"};
  EXPECT_FALSE(computes(conv, options)) << "float32_nodes";
  EXPECT_FALSE(computes(conv, {1, 0, false})) << "a CPU without fp16";
}

}  // namespace
}  // namespace mace::testing
