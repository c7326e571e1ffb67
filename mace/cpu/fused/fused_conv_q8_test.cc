// Convolutions of quantized values that are fused, against the same nodes one
// by one, to the byte.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv_q8.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/thread_pool.h"
#include "mace/cpu/fused/lines.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/device/packed_weights.h"
#include "mace/ops/common/op.h"

namespace mace::cpu {
namespace {

using Ints = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

struct Link {
  const char* op;
  int64_t out;  // channels; those of the input for a DepthwiseConv2d
  int64_t kernel = 1, stride = 1, dilation = 1;
};

struct Case {
  int64_t height, width, channels;
  std::vector<Link> links;
  bool is_unsigned = false;
  int64_t batch = 1;
};

constexpr const char* kConv = "Conv2d";
constexpr const char* kDepthwise = "DepthwiseConv2d";

QuantizationPtr MakeQuantization(const std::vector<float>& scales,
                                 int32_t zero_point, int axis) {
  Quantization q;
  q.scales = scales;
  q.zero_points.assign(scales.size(), zero_point);
  q.axis = axis;
  return std::make_shared<Quantization>(q);
}

class Chain {
 public:
  Chain(const Case& c, int threads) : unsigned_(c.is_unsigned) {
    threads_ = std::move(*ThreadPool::Create(threads));
    context_.threads = threads_.get();
    context_.features = DetectCpuFeatures();
    context_.packed = &packed_;
    TensorType x = Quantized({c.batch, c.height, c.width, c.channels}, 3);
    for (const Link& link : c.links) {
      nodes_.push_back(MakeNode(x, link));
      x = nodes_.back().outputs[0];
    }
    for (const Node& node : nodes_) links_.push_back({&node, 0});
    links_[0].previous = -1;
    x_ = Random(NumElements(nodes_.front().inputs[0].type.shape));
  }

  // Prepares all nodes as one kernel, whether it pays or not.
  Result<KernelPtr> Fuse(Fusion fusion = Fusion::kAlways) {
    StepPlan plan;
    plan.fusion = fusion;
    plan.nodes.resize(nodes_.size());
    CpuContext context = context_;
    context.asked = &plan;
    return PrepareLinks(links_, context);
  }
  // As if the tensors had 16 bits.
  Result<KernelPtr> FuseInt16() {
    for (Node& node : nodes_) {
      node.inputs[0].type.dtype = node.outputs[0].dtype = DataType::kI16;
    }
    return Fuse();
  }
  Result<KernelPtr> FuseIfItPays() { return PrepareLinks(links_, context_); }

  // What the nodes compute one by one.
  Bytes Expected() {
    Bytes x = x_;
    for (const FusedNode& link : links_) {
      auto kernel = PrepareLinks({{link.node, -1}}, context_);
      EXPECT_TRUE(kernel.ok()) << kernel.status().information();
      Bytes y(static_cast<size_t>(NumElements(link.node->outputs[0].shape)));
      Run(**kernel, x.data(), y.data());
      x = std::move(y);
    }
    return x;
  }

  Bytes Run(Kernel& kernel) {
    Bytes y(
        static_cast<size_t>(NumElements(nodes_.back().outputs[0].shape) + 8),
        0xA5);
    Run(kernel, x_.data(), y.data());
    EXPECT_EQ(Bytes(y.end() - 8, y.end()), Bytes(8, 0xA5)) << "wrote behind y";
    y.resize(y.size() - 8);
    return y;
  }

  // With the output as close before the input as the kernel allows.
  Bytes RunInPlace(Kernel& kernel) {
    const std::vector<Overlap> overlaps = kernel.overlaps();
    EXPECT_EQ(overlaps.size(), 1u);
    if (overlaps.size() != 1) return {};
    const auto distance = static_cast<size_t>(overlaps[0].safe_distance_bytes);
    const auto size =
        static_cast<size_t>(NumElements(nodes_.back().outputs[0].shape));
    Bytes memory(std::max(distance + x_.size(), size));
    std::copy(x_.begin(), x_.end(), memory.begin() + distance);
    Run(kernel, memory.data() + distance, memory.data());
    memory.resize(size);
    return memory;
  }

 private:
  TensorType Quantized(const Shape& shape, int32_t zero_point) const {
    TensorType type;
    type.dtype = unsigned_ ? DataType::kU8 : DataType::kI8;
    type.shape = shape;
    type.quantization =
        MakeQuantization({0.05f}, zero_point + (unsigned_ ? 128 : 0), -1);
    return type;
  }
  Bytes Random(int64_t n) {
    Bytes bytes(static_cast<size_t>(n));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random_());
    return bytes;
  }

  Node MakeNode(const TensorType& x, const Link& link) {
    const bool depthwise = link.op == kDepthwise;
    const int64_t in = x.shape[3], k = link.kernel;
    Node node;
    node.name = link.op;
    node.op = link.op;
    node.attrs = {{"strides", Ints{link.stride, link.stride}},
                  {"dilations", Ints{link.dilation, link.dilation}},
                  {"padding", int64_t{1}}};
    Operand input, weight, bias;
    input.type = x;
    weight.type =
        Quantized(depthwise ? Shape{1, in, k, k} : Shape{link.out, in, k, k},
                  unsigned_ ? -7 : 0);
    const int64_t outputs = depthwise ? in : link.out;
    if (!unsigned_) {  // a scale for each output
      std::vector<float> scales;
      for (int64_t o = 0; o < outputs; ++o) {
        scales.push_back(0.01f + 0.001f * static_cast<float>(o % 7));
      }
      weight.type.quantization = MakeQuantization(scales, 0, depthwise ? 1 : 0);
    }
    weights_.push_back(Random(NumElements(weight.type.shape)));
    weight.data = weights_.back().data();
    bias.type.dtype = DataType::kI32;
    bias.type.shape = {outputs};
    biases_.emplace_back();
    for (int64_t o = 0; o < outputs; ++o) {
      biases_.back().push_back(static_cast<int32_t>(random_() % 4001) - 2000);
    }
    bias.data = biases_.back().data();
    node.inputs = {input, weight, bias};
    node.outputs.resize(1);
    node.output_quantization = {
        MakeQuantization({0.1f}, (unsigned_ ? 128 : 0) - 5, -1)};
    const Status status = Infer(node);
    EXPECT_TRUE(status.ok()) << status.information();
    return node;
  }

  static void Run(Kernel& kernel, const uint8_t* x, uint8_t* y) {
    auto scratch = AlignedBuffer::Create(
        static_cast<size_t>(kernel.scratch_bytes()) + 1, "test");
    ASSERT_TRUE(scratch.ok());
    RunArgs args;
    args.inputs = {{const_cast<uint8_t*>(x)}};
    args.outputs = {{y}};
    args.scratch = {scratch->data()};
    ASSERT_TRUE(kernel.Run(args).ok());
  }

  const bool unsigned_;
  std::mt19937 random_{5};
  std::unique_ptr<ThreadPool> threads_;
  PackedWeights packed_;
  CpuContext context_;
  std::list<Bytes> weights_;
  std::list<std::vector<int32_t>> biases_;
  std::list<Node> nodes_;
  std::vector<FusedNode> links_;
  Bytes x_;
};

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {9, 11, 5, {{kDepthwise, 0, 3}, {kConv, 7}}},
      {14, 14, 32, {{kDepthwise, 0, 3, 2}, {kConv, 40}}, true},
      {13, 10, 8, {{kConv, 24}, {kDepthwise, 0, 3, 2}, {kConv, 12}}},
      {17, 9, 8, {{kConv, 33}, {kDepthwise, 0, 5}, {kConv, 16}}, true},
      {19, 16, 3, {{kConv, 16, 3, 2}, {kDepthwise, 0, 3}, {kConv, 8}}},
      {12, 12, 6, {{kConv, 20}, {kDepthwise, 0, 3, 1, 2}}},
      {30,
       7,
       4,
       {{kConv, 12},
        {kDepthwise, 0, 3},
        {kConv, 9},
        {kDepthwise, 0, 3, 2},
        {kConv, 70}}},
      {1, 1, 3, {{kDepthwise, 0, 3}, {kConv, 2}}},
      {17, 1, 3, {{kDepthwise, 0, 3}, {kConv, 2}}},
      {64, 40, 16, {{kConv, 96}, {kDepthwise, 0, 3, 2}, {kConv, 24}}},
  };
  return *cases;
}

class FusedConvQ8 : public ::testing::TestWithParam<int> {};

TEST_P(FusedConvQ8, GivesTheValuesOfItsNodes) {
  for (const Case& c : Cases()) {
    Chain chain(c, GetParam());
    auto kernel = chain.Fuse();
    ASSERT_TRUE(kernel.ok()) << kernel.status().information();
    SCOPED_TRACE((*kernel)->variant());
    EXPECT_NE((*kernel)->variant().find("by lines"), std::string::npos);
    const Bytes expected = chain.Expected();
    EXPECT_EQ(chain.Run(**kernel), expected);
    EXPECT_EQ(chain.RunInPlace(**kernel), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, FusedConvQ8, ::testing::Values(1, 2, 3, 5));

TEST(FusedConvQ8Choice, IsMadeByTheSizesOfTensors) {
  const auto fuses = [](const Case& c) {
    const auto kernel = Chain(c, 2).FuseIfItPays();
    EXPECT_TRUE(kernel.ok() || kernel.status() == Status::MACE_UNSUPPORTED);
    return kernel.ok();
  };
  const Link depthwise = {kDepthwise, 0, 3}, pointwise = {kConv, 8};
  EXPECT_TRUE(fuses({128, 128, 16, {depthwise, pointwise}}));
  EXPECT_FALSE(fuses({127, 128, 16, {depthwise, pointwise}}));
  EXPECT_TRUE(fuses({128, 128, 4, {{kConv, 64}, depthwise}}));
  EXPECT_FALSE(fuses({128, 127, 4, {{kConv, 64}, depthwise}}));
  EXPECT_TRUE(fuses({128, 128, 4, {{kConv, 64}, depthwise, pointwise}}));
}

TEST(FusedConvQ8Choice, RefusesWhatLinesCannotCompute) {
  const Link depthwise = {kDepthwise, 0, 3};
  for (const Case& c : {
           Case{12, 12, 4, {depthwise, {kConv, 8, 3}}},  // not 1x1
           Case{12, 12, 4, {depthwise, {kConv, 8, 1, 2}}},
           Case{12, 12, 4, {{kConv, 8, 3}, depthwise}},  // perhaps by Winograd
           Case{12, 12, 4, {{kConv, 8}, {kConv, 8}}},
           Case{12, 12, 4, {depthwise, depthwise}},
           Case{12, 12, 4, {depthwise, {kConv, 8}}, false, 2},
           Case{12, 12, 4, {depthwise, {kConv, 8}, depthwise}},
       }) {
    EXPECT_EQ(Chain(c, 2).Fuse().status(), Status::MACE_UNSUPPORTED);
  }
  const Case in_int16 = {12, 12, 4, {depthwise, {kConv, 8}}};
  EXPECT_EQ(Chain(in_int16, 2).FuseInt16().status(), Status::MACE_UNSUPPORTED);
  const Case never = {128, 128, 16, {depthwise, {kConv, 8}}};
  EXPECT_EQ(Chain(never, 2).Fuse(Fusion::kNever).status(),
            Status::MACE_UNSUPPORTED);
}

TEST(FusedLines, StridesBeyondTheInputTakeNoMemory) {
  Lines::Stage stage;
  stage.h.kernel = 3;
  stage.h.stride = int64_t{1} << 30;
  stage.h.pad_before = stage.h.pad_after = 1;
  stage.line_bytes = 1 << 20;
  const Lines lines(std::vector<Lines::Stage>(5, stage), 1);
  EXPECT_EQ(lines.thread_bytes(), 4 << 20);
  EXPECT_EQ(lines.step(0), 1);
}

}  // namespace
}  // namespace mace::cpu
