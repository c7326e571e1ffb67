// The samples, in the order of the ops' names.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/op_samples.h"

#include <cstring>

namespace mace::testing {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

TestTensor X(Shape shape) { return RandomF32(std::move(shape), 1); }
TestTensor W(Shape shape) { return Const(RandomF32(std::move(shape), 2)); }
TestTensor Known(const std::vector<int32_t>& values) {
  return Const(I32({static_cast<int64_t>(values.size())}, values));
}
TestTensor Scalar(int32_t value) { return Const(I32({}, {value})); }

TestTensor Int8(Shape shape, const std::vector<int32_t>& quantized, float scale,
                int32_t zero) {
  return Quantized(DataType::kI8, std::move(shape), quantized, scale, zero);
}
// Int16, in units of 2^-11.
TestTensor Cells(Shape shape, const std::vector<int16_t>& quantized) {
  TestTensor cells;
  cells.type = {DataType::kI16, std::move(shape)};
  cells.type.quantization = PerTensor(1.0f / 2048, 0);
  cells.bytes.resize(quantized.size() * sizeof(int16_t));
  std::memcpy(cells.bytes.data(), quantized.data(), cells.bytes.size());
  return cells;
}

const Shape kImage = {1, 4, 4, 4};

std::vector<OpCase> ActivationToFlatten() {
  return {
      {"Activation", {{"activation", "RELU"}}, {X(kImage)}},
      {"Append",
       {{"axis", int64_t{1}}},
       {X({2, 4, 3}), X({2, 1, 3}), X({2, 2, 3})},
       3},
      {"ArgMax", {{"axis", int64_t{-1}}}, {X(kImage)}},
      {"Attention",
       {},
       {X({1, 2, 3, 4}), X({1, 1, 5, 4}), X({1, 1, 5, 2}), X({3, 5})}},
      {"BatchNorm",
       {},
       {X(kImage), W({4}), W({4}), W({4}), Const(RandomF32({4}, 3, 1, 2))}},
      {"BatchToSpaceNd",
       {{"block_shape", Ints{2, 2}}, {"crops", Ints{0, 0, 0, 0}}},
       {X({4, 2, 2, 3})}},
      {"BiasAdd", {}, {X(kImage), W({4})}},
      {"Bitcast", {{"to", "i32"}}, {X({3, 4})}},
      {"Bitwise", {{"type", "XOR"}}, {I32({3}, {1, 2, 3}), I32({}, {5})}},
      {"Cast", {{"to", "i32"}}, {X(kImage)}},
      {"ChannelShuffle", {{"group", int64_t{2}}}, {X(kImage)}},
      {"Clip", {}, {X(kImage), F32({}, {-0.5f}), F32({}, {0.5f})}},
      {"Compare", {{"type", "LESS"}}, {X(kImage), W({4})}},
      {"Concat", {{"axis", int64_t{3}}}, {X(kImage), X(kImage), X(kImage)}},
      {"Conv2d", {}, {X(kImage), W({4, 4, 3, 3}), W({4})}},
      {"Cumsum", {{"axis", int64_t{1}}}, {X(kImage)}},
      {"Deconv2d",
       {{"strides", Ints{2, 2}}},
       {X(kImage), W({4, 4, 2, 2}), W({4}), Known({1, 8, 8, 4})}},
      {"DepthToSpace", {{"block_size", int64_t{2}}}, {X(kImage)}},
      {"DepthwiseConv2d", {}, {X(kImage), W({1, 4, 3, 3}), W({4})}},
      {"Dequantize",
       {},
       {Quantized(DataType::kI8, {3}, {-128, 0, 127}, 0.5f, 3)}},
      {"Eltwise", {{"type", "SUM"}}, {X(kImage), X(kImage)}},
      {"Expand", {}, {X({1, 4}), Known({3, 4})}},
      {"ExpandDims", {{"axis", Ints{0}}}, {X({3, 4})}},
      {"Fill", {}, {Known({2, 3})}},
      {"Flatten", {{"axis", int64_t{1}}}, {X(kImage)}},
  };
}

std::vector<OpCase> FullyConnectedToPooling() {
  return {
      {"FullyConnected", {}, {X({2, 4}), W({3, 4}), W({3})}},
      {"Gather", {}, {X({3, 4}), I32({2}, {2, 0})}},
      {"GatherElements", {}, {X({3, 4}), I32({1, 4}, {2, 0, 1, 1})}},
      {"GatherNd", {}, {X({3, 4}), I32({2, 1}, {2, 0})}},
      {"GridSample", {}, {X(kImage), X({1, 2, 2, 2}), I32({1}, {0})}},
      {"Gru",
       {},
       {X({3, 2, 4}), W({1, 6, 4}), W({1, 6, 2}), W({1, 12}), I32({2}, {3, 2}),
        X({1, 2, 2})},
       2},
      {"Hardmax", {}, {X({3, 4})}},
      {"Identity", {}, {X({3, 4})}},
      {"InstanceNorm", {}, {X(kImage), W({4}), W({4})}},
      {"LayerNorm", {}, {X({3, 4}), W({4}), W({4})}},
      {"LocalResponseNorm", {}, {X(kImage)}},
      {"Logical", {}, {Bool({2}, {0, 1}), Bool({2}, {1, 1})}},
      {"LpNorm", {}, {X({3, 4})}},
      {"LshProjection",
       {},
       {X({3, 4}), I32({2, 3}, {1, -2, 3, 4, 5, 6}), W({3})}},
      {"Lstm",
       {},
       {X({3, 2, 4}), W({1, 8, 4}), W({1, 8, 2}), W({1, 16}), I32({2}, {3, 2}),
        X({1, 2, 2}), X({1, 2, 2}), W({1, 6}), W({1, 2, 2}), W({1, 2}),
        W({1, 8})},
       3},
      {"MatMul", {}, {X({2, 3, 4}), X({2, 4, 5})}},
      {"NonMaxSuppression", {}, {X({2, 3, 1, 4}), X({2, 3, 4})}, 4},
      {"NonZero", {}, {Bool({2, 2}, {0, 1, 1, 0})}, 2},
      {"OneHot", {}, {I32({3}, {0, 2, 1}), Scalar(3)}},
      {"PRelu", {}, {X(kImage), W({4})}},
      {"Pad", {}, {X({3, 4}), Known({1, 1, 0, 2})}},
      {"Pooling",
       {{"pooling_type", int64_t{2}}, {"kernels", Ints{2, 2}}},
       {X(kImage)}},
  };
}

std::vector<OpCase> ProposalToSpaceToDepth() {
  return {
      {"Proposal",
       {{"feat_stride", int64_t{16}},
        {"scales", Ints{8}},
        {"ratios", Floats{1}},
        {"min_size", int64_t{1}},
        {"pre_nms_top_n", int64_t{4}},
        {"post_nms_top_n", int64_t{2}}},
       {X({1, 2, 2, 2}), X({1, 2, 2, 4}), F32({1, 3}, {32, 32, 1})}},
      {"PsroiAlign",
       {{"spatial_scale", 1.f},
        {"output_dim", int64_t{1}},
        {"group_size", int64_t{2}}},
       {X(kImage), F32({1, 5}, {0, 0, 0, 2, 2})}},
      {"Quantize", {{"to", "u8"}}, {X({3, 4})}, 1, {PerTensor(0.01f, 128)}},
      {"QuantizedLstm",
       {},
       {Int8({3, 2, 1}, {100, -100, -100, 127, 3, 90}, 0.01f, 5),
        Const(Int8({4, 1}, {50, 70, -30, 90}, 0.01f, 0)),
        Const(Int8({4, 1}, {20, 10, 60, -80}, 0.01f, 0)),
        Const(I32({4}, {100, 0, 5000, -200})),
        Int8({2, 1}, {-3, 20}, 0.008f, -3), Cells({2, 1}, {0, -900})},
       3,
       {PerTensor(0.008f, -3), PerTensor(0.008f, -3),
        PerTensor(1.0f / 2048, 0)}},
      {"Range", {}, {Scalar(1), Scalar(7), Scalar(2)}},
      {"Reduce", {}, {X(kImage), Known({1, 2})}},
      {"Reshape", {}, {X({3, 4}), Known({2, 6})}},
      {"Resize", {}, {X(kImage), Known({8, 8})}},
      {"Reverse", {{"axis", Ints{1}}}, {X({3, 4})}},
      {"ReverseSequence",
       {{"seq_axis", int64_t{1}}, {"batch_axis", int64_t{0}}},
       {X({2, 4}), I32({2}, {3, 4})}},
      {"Rnn",
       {},
       {X({3, 2, 4}), W({1, 2, 4}), W({1, 2, 2}), W({1, 4}), I32({2}, {3, 2}),
        X({1, 2, 2})},
       2},
      {"RoiAlign",
       {{"output_height", int64_t{2}}, {"output_width", int64_t{2}}},
       {X(kImage), F32({1, 4}, {0, 0, 2, 2}), I32({1}, {0})}},
      {"RotaryEmbedding", {}, {W({3, 2}), W({3, 2}), X({1, 2, 3, 4})}},
      {"ScatterElements",
       {},
       {X({3, 4}), I32({1, 4}, {2, 0, 1, 1}), X({1, 4})}},
      {"ScatterNd", {}, {X({3, 4}), I32({1, 1}, {2}), X({1, 4})}},
      {"Select",
       {},
       {Bool({4}, {0, 1, 1, 0}), RandomF32({4}, 1), RandomF32({4}, 2)}},
      {"Shape", {}, {X({3, 4})}},
      {"Slice",
       {},
       {X({3, 4}), Known({0, 1}), Known({2, 4}), Known({0, 1}), Known({1, 2})}},
      {"Softmax", {}, {X({3, 4})}},
      {"SpaceToBatchNd",
       {{"block_shape", Ints{2, 2}}, {"paddings", Ints{0, 0, 0, 0}}},
       {X(kImage)}},
      {"SpaceToDepth", {{"block_size", int64_t{2}}}, {X(kImage)}},
  };
}

std::vector<OpCase> SplitToUnstack() {
  return {
      {"Split", {{"axis", int64_t{1}}}, {X({3, 4}), Known({1, 3})}, 2},
      {"Squeeze", {}, {X({1, 3, 1})}},
      {"Stack", {}, {X({3, 4}), X({3, 4}), X({3, 4})}},
      {"StridedSlice",
       {},
       {X({3, 4}), Known({0, 1}), Known({2, 4}), Known({1, 2})}},
      {"Tile", {}, {X({3, 4}), Known({2, 1})}},
      {"TopK", {}, {X({3, 4}), Scalar(2)}, 2},
      {"Transpose", {}, {X({3, 4})}},
      {"Unary", {{"type", "EXP"}}, {X({3, 4})}},
      {"Unstack", {}, {X({2, 3})}, 2},
      {"Unique", {}, {I32({3}, {2, 1, 2})}, 4},
  };
}

}  // namespace

std::vector<OpCase> OpSamples() {
  std::vector<OpCase> samples = ActivationToFlatten();
  for (const auto& more : {FullyConnectedToPooling(), ProposalToSpaceToDepth(),
                           SplitToUnstack()}) {
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return samples;
}

}  // namespace mace::testing
