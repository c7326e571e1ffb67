// A depthwise convolution fused with one by Strassen's method, whatever the
// cost model of this CPU prefers, against the two nodes one after the other.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <list>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/ops/common/op.h"

namespace mace::cpu {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

Floats Numbers(int64_t n, int64_t seed) {
  Floats v(n);
  for (int64_t i = 0; i < n; ++i) {
    v[i] = static_cast<float>((i * 7919 + seed) % 101 - 50) * 0.02f;
  }
  return v;
}

struct Case {
  int64_t h, w, channels, kernel;
  const char* activation;  // of the depthwise convolution
};

class FusedStrassen : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    auto threads = ThreadPool::Create(GetParam());
    ASSERT_TRUE(threads.ok());
    threads_ = std::move(*threads);
    context_.threads = threads_.get();
    context_.features = DetectCpuFeatures();
    context_.packed = &packed_;
  }

  Operand Activations(const Shape& shape) {
    Operand operand;
    operand.type = {DataType::kF32, shape};
    return operand;
  }
  Operand Weight(const Shape& shape, int64_t seed) {
    Operand operand = Activations(shape);
    weights_.push_back(Numbers(NumElements(shape), seed));
    operand.data = weights_.back().data();
    return operand;
  }
  Node MakeNode(const std::string& op, std::vector<Operand> inputs,
                const char* activation) {
    Node node;
    node.name = op;
    node.op = op;
    node.inputs = std::move(inputs);
    node.attrs = {{"strides", Ints{1, 1}},
                  {"padding", int64_t{1}},
                  {"activation", std::string(activation)}};
    node.outputs.resize(1);
    const Status status = Infer(node);
    EXPECT_TRUE(status.ok()) << status.information();
    return node;
  }

  // `x`, and then the other inputs of the nodes as the kernel takes them.
  Floats Run(const std::vector<FusedNode>& links, const StepPlan& plan,
             const Floats& x, std::string* variant) {
    CpuContext context = context_;
    context.asked = &plan;
    auto kernel = PrepareLinks(links, context);
    EXPECT_TRUE(kernel.ok()) << kernel.status().information();
    if (!kernel.ok()) return {};
    *variant = (*kernel)->variant();
    Floats y(NumElements(links.back().node->outputs[0].shape));
    RunArgs args;
    for (const FusedNode& link : links) {
      for (size_t i = 0; i < link.node->inputs.size(); ++i) {
        if (static_cast<int>(i) == link.previous) continue;
        const Operand& operand = link.node->inputs[i];
        const void* data = operand.data != nullptr ? operand.data : x.data();
        args.inputs.push_back({const_cast<void*>(data)});
      }
    }
    args.outputs = {{y.data()}};
    auto scratch =
        AlignedBuffer::Create((*kernel)->scratch_bytes() + 1, "test");
    EXPECT_TRUE(scratch.ok());
    args.scratch = {scratch->data()};
    EXPECT_TRUE((*kernel)->Run(args).ok());
    return y;
  }

  NodePlan Strassen(const Node& conv) {
    const auto node = ReadConv2d(conv);
    EXPECT_TRUE(node.ok());
    for (const NodePlan& plan :
         ConvMethods(conv.inputs[1], node->shape, context_)) {
      if (plan.method == Method::kStrassen) return plan;
    }
    ADD_FAILURE() << "no Strassen product";
    return {};
  }

  std::unique_ptr<ThreadPool> threads_;
  PackedWeights packed_;
  CpuContext context_;
  std::list<Floats> weights_;
};

TEST_P(FusedStrassen, GivesTheBitsOfItsNodes) {
  for (const Case& c :
       {Case{48, 9, 256, 3, "RELU"}, Case{48, 9, 320, 5, "SWISH"},
        Case{24, 24, 64, 3, "NOOP"}}) {
    SCOPED_TRACE(c.channels);
    const Shape x_shape = {1, c.h, c.w, c.channels};
    const Node depthwise = MakeNode(
        "DepthwiseConv2d",
        {Activations(x_shape), Weight({1, c.channels, c.kernel, c.kernel}, 3)},
        c.activation);
    const Node conv = MakeNode(
        "Conv2d",
        {Activations(x_shape), Weight({c.channels, c.channels, 1, 1}, 4),
         Weight({c.channels}, 5)},
        "NOOP");
    StepPlan both;
    both.fusion = Fusion::kAlways;
    both.nodes = {PlanNode(depthwise, context_), Strassen(conv)};
    StepPlan first, second;
    first.nodes = {both.nodes[0]};
    second.nodes = {both.nodes[1]};

    const Floats x = Numbers(NumElements(x_shape), 6);
    std::string fused, apart;
    const Floats y = Run({{&depthwise, -1}, {&conv, 0}}, both, x, &fused);
    const Floats between = Run({{&depthwise, -1}}, first, x, &apart);
    EXPECT_EQ(y, Run({{&conv, -1}}, second, between, &apart));
    EXPECT_NE(fused.find("strassen"), std::string::npos) << fused;
    EXPECT_NE(fused.find("by lines"), std::string::npos) << fused;
    EXPECT_EQ(apart.find("strassen"), 0u) << apart;
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, FusedStrassen, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace mace::cpu
