// Tensors without elements: every op computes the rest of its outputs, or the
// node is refused; no kernel takes them for something.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mace/ops/common/op.h"
#include "mace/testing/check_paths.h"
#include "mace/testing/op_samples.h"

namespace mace::testing {
namespace {

// The case with extent `d` of input `i` 0.
OpCase Emptied(OpCase c, size_t i, size_t d) {
  TestTensor& tensor = c.inputs[i];
  tensor.type.shape[d] = 0;
  tensor.bytes.clear();
  return c;
}

// Their other input says which part of the first to read; with what these say.
const std::map<std::string, std::string> kLookups = {
    {"Gather", "out of range for"},     {"GatherElements", "out of range for"},
    {"GatherNd", "out of range for"},   {"GridSample", "out of range for"},
    {"Gru", "it must be in [0, 0]"},    {"Lstm", "it must be in [0, 0]"},
    {"PsroiAlign", "out of range for"}, {"Rnn", "it must be in [0, 0]"},
    {"RoiAlign", "out of range for"}};

// Every extent of every input of every op, alone and with the same extent of
// the other inputs.
TEST(EmptyTensors, RunOrAreRefused) {
  int ran = 0;
  const auto check = [&](const OpCase& c) {
    Node node = MakeNode(c);
    const Status status = Infer(node);
    if (!status.ok()) {
      EXPECT_EQ(status, Status::MACE_INVALID_MODEL);
      EXPECT_FALSE(status.information().empty());
      return;
    }
    CheckOp(c, 1e-4f);
    ++ran;
  };
  for (const OpCase& sample : OpSamples()) {
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      for (size_t d = 0; d < sample.inputs[i].type.shape.size(); ++d) {
        SCOPED_TRACE(sample.op + ", input " + std::to_string(i) +
                     " without extent " + std::to_string(d));
        const OpCase c = Emptied(sample, i, d);
        const auto lookup = kLookups.find(sample.op);
        if (i == 0 && d == 0 && lookup != kLookups.end()) {
          ExpectRunError(c, lookup->second);
        } else {
          check(c);
        }
        OpCase all = c;
        for (size_t k = 0; k < all.inputs.size(); ++k) {
          if (d < all.inputs[k].type.shape.size()) all = Emptied(all, k, d);
        }
        check(all);
      }
    }
  }
  EXPECT_GT(ran, 100);
}

// Lines without pixels, which blocks of rows divided by.
TEST(EmptyTensors, ConvolutionsOfNoColumns) {
  for (const char* op : {"Conv2d", "DepthwiseConv2d"}) {
    SCOPED_TRACE(op);
    const Shape filter =
        op == std::string("Conv2d") ? Shape{32, 64, 3, 3} : Shape{1, 64, 3, 3};
    CheckOp({op,
             {{"padding", int64_t{1}}},
             {F32({1, 80, 0, 64}, {}), Const(RandomF32(filter, 1))}});
  }
}

// Sums over padding alone have nothing to read.
TEST(EmptyTensors, WindowsThatSeeNoPixelAreRefused) {
  using Ints = std::vector<int64_t>;
  const Attr pads = Ints{1, 1, 1, 1};
  for (const Shape& x : {Shape{1, 0, 4, 4}, Shape{1, 4, 0, 4}}) {
    const std::string text = " has no pixels, and the output would have some";
    ExpectInferError({"Conv2d",
                      {{"padding", int64_t{4}}, {"padding_values", pads}},
                      {F32(x, {}), Const(RandomF32({4, 4, 2, 2}, 1))}},
                     text);
    ExpectInferError({"DepthwiseConv2d",
                      {{"padding", int64_t{4}}, {"padding_values", pads}},
                      {F32(x, {}), Const(RandomF32({1, 4, 2, 2}, 1))}},
                     text);
    ExpectInferError({"Pooling",
                      {{"padding", int64_t{4}},
                       {"padding_values", pads},
                       {"pooling_type", int64_t{1}},
                       {"kernels", Ints{2, 2}}},
                      {F32(x, {})}},
                     text);
    ExpectInferError({"Deconv2d",
                      {{"output_shape", Ints{8, 8}}},
                      {F32(x, {}), Const(RandomF32({4, 4, 2, 2}, 1))}},
                     text);
  }
}

}  // namespace
}  // namespace mace::testing
