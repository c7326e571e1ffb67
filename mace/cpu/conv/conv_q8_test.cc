// Convolutions and matrix products of quantized values on every micro-kernel
// that this CPU can run, compared with their definition to the bit.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_q8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/thread_pool.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/quantized/fixed_point.h"
#include "mace/cpu/ukernels/testing/rows.h"
#include "mace/cpu/winograd/conv_winograd_q8.h"
#include "mace/device/packed_weights.h"
#include "mace/ops/conv2d.h"

namespace mace::cpu {
namespace {

struct Case {
  std::string op;
  int64_t height, width, in, out;  // channels
  int64_t kernel = 1, stride = 1, dilation = 1, group = 1, batch = 1;
  bool is_unsigned = false;
  int32_t x_zero = -128, y_zero = 127, w_zero = 0;
  int scales = 0;  // powers of two between the least and the largest factor
};

// What CPUs without one instruction set after the other can run.
std::vector<CpuFeatures> SomeFeatures() {
  std::vector<CpuFeatures> all = {DetectCpuFeatures()};
  for (const uint32_t bit : {kCpuAmxInt8, kCpuAvx512Vnni, kCpuAvxVnni,
                             kCpuAvx512, kCpuAvx2Fma, kCpuI8mm, kCpuDotProd}) {
    if (all.back() & bit) all.push_back(all.back() & ~bit);
  }
  if (all.back() != 0) all.push_back(0);
  return all;
}

class Conv {
 public:
  explicit Conv(const Case& c) : c_(c) {
    const bool depthwise = c.op == "DepthwiseConv2d";
    const bool matrix = c.op == "FullyConnected";
    const int64_t taps = c.kernel * c.kernel;
    depth_ = matrix ? c.in : taps * (c.in / c.group);
    Fill(x_, c.batch * c.height * c.width * c.in);
    Fill(w_, c.out * depth_);
    bias_.resize(static_cast<size_t>(c.out));
    for (int32_t& b : bias_) b = Random(-20000, 20000);
    node_.name = "conv";
    node_.op = c.op;
    const int64_t pad = (c.kernel - 1) * c.dilation / 2;
    out_h_ =
        (c.height + 2 * pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
    out_w_ =
        (c.width + 2 * pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
    if (!matrix) {
      node_.attrs["strides"] = std::vector<int64_t>{c.stride, c.stride};
      node_.attrs["dilations"] = std::vector<int64_t>{c.dilation, c.dilation};
      node_.attrs["padding"] = int64_t{4};
      node_.attrs["padding_values"] = std::vector<int64_t>(4, pad);
    }
    if (c.op == "Conv2d") node_.attrs["group"] = c.group;
    std::vector<float> scales;
    const int64_t count = c.scales > 0 ? c.out : 1;
    for (int64_t o = 0; o < count; ++o) {
      const double at = count == 1 ? 0 : static_cast<double>(o) / (count - 1);
      scales.push_back(
          static_cast<float>(std::exp2(c.scales == 0 ? -8 : 4 - c.scales * at) *
                             (o % 3 == 0 ? 1 : 0.7)));
    }
    const Shape w = matrix ? Shape{c.out, c.in}
                    : depthwise
                        ? Shape{c.out / c.in, c.in, c.kernel, c.kernel}
                        : Shape{c.out, c.in / c.group, c.kernel, c.kernel};
    const Shape x =
        matrix ? Shape{c.batch, c.in} : Shape{c.batch, c.height, c.width, c.in};
    const Shape y =
        matrix ? Shape{c.batch, c.out} : Shape{c.batch, out_h_, out_w_, c.out};
    Add(x, {1.0f}, c.x_zero, -1, nullptr);
    Add(w, scales, c.w_zero, scales.size() == 1 ? -1 : depthwise, w_.data());
    Operand bias;
    bias.type.dtype = DataType::kI32;
    bias.type.shape = {c.out};
    bias.data = bias_.data();
    node_.inputs.push_back(bias);
    TensorType out = node_.inputs[0].type;
    out.shape = y;
    out.quantization = MakeQuantization({1.0f}, c.y_zero, -1);
    node_.outputs = {out};
    y_size_ = c.batch * (matrix ? 1 : out_h_ * out_w_) * c.out;
  }

  void Check(CpuFeatures features, int num_threads) {
    Prepare(features, num_threads);
    auto kernel = c_.op == "Conv2d" ? PrepareConv()
                  : c_.op == "DepthwiseConv2d"
                      ? PrepareDepthwiseQ8(node_, context_)
                      : PrepareFullyConnectedQ8(node_, context_);
    ASSERT_TRUE(kernel.ok()) << kernel.status().information();
    SCOPED_TRACE((*kernel)->variant());
    const auto run = [&](const RunArgs& args) {
      ASSERT_TRUE((*kernel)->Run(args).ok());
    };
    CheckRun((*kernel)->scratch_bytes(), run);
    if ((*kernel)->writes_rows()) {
      (*kernel)->set_row_stride(c_.out + 5);
      CheckRun((*kernel)->scratch_bytes(), run, c_.out + 5);
    }
  }

  // Returns the scratch memory of a convolution on one thread.
  int64_t Scratch(CpuFeatures features) {
    Prepare(features, 1);
    const auto kernel = PrepareConv();
    return kernel.ok() ? static_cast<int64_t>((*kernel)->scratch_bytes()) : -1;
  }

  // By Winograd's method, whether it pays or not.
  void CheckWinograd(const WinogradQ8& row, CpuFeatures features,
                     int num_threads) {
    Prepare(features, num_threads);
    SCOPED_TRACE(row.name);
    const auto conv = ReadConv2d(node_);
    const auto stage = MakeOutputStage(node_, Conv2dAttrs());
    ASSERT_TRUE(conv.ok() && stage.ok());
    const auto winograd =
        ConvWinogradQ8::Create(node_, conv->shape, row, *stage, context_);
    ASSERT_TRUE(winograd.ok());
    for (const int64_t stride : {int64_t{0}, c_.out + 5}) {
      const auto run = [&](const RunArgs& args) {
        winograd->Run(args.inputs[0].as<const uint8_t>(),
                      args.outputs[0].as<uint8_t>(), stride,
                      args.scratch.handle);
      };
      CheckRun(winograd->scratch_bytes(), run, stride);
    }
  }

  // Returns whether Winograd's method is chosen, on a CPU without features.
  bool PrefersWinograd() {
    Prepare(0, 1);
    const auto conv = ReadConv2d(node_);
    return conv.ok() && PlanConv(node_.inputs[0].type.dtype, node_.inputs[1],
                                 conv->shape, context_)
                                .method == Method::kWinograd;
  }

  void SetFilter(uint8_t value) { std::fill(w_.begin(), w_.end(), value); }

 private:
  Result<KernelPtr> PrepareConv() {
    MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node_));
    return PrepareConvQ8(node_, conv.shape, context_);
  }

  void Prepare(CpuFeatures features, int num_threads) {
    auto threads = ThreadPool::Create(num_threads);
    ASSERT_TRUE(threads.ok());
    threads_ = std::move(*threads);
    packed_ = std::make_unique<PackedWeights>();
    context_ = {};
    context_.threads = threads_.get();
    context_.features = features;
    context_.packed = packed_.get();
  }

  void CheckRun(int64_t scratch_bytes,
                const std::function<void(const RunArgs&)>& run,
                int64_t row_stride = 0) {
    auto scratch =
        AlignedBuffer::Create(static_cast<size_t>(scratch_bytes) + 64);
    ASSERT_TRUE(scratch.ok());
    const auto row = static_cast<size_t>(c_.out);
    const size_t stride =
        row_stride > 0 ? static_cast<size_t>(row_stride) : row;
    std::vector<uint8_t> y(static_cast<size_t>(y_size_) / row * stride + 1, 77);
    RunArgs args;
    args.inputs = {{x_.data()}, {w_.data()}, {bias_.data()}};
    args.outputs = {{y.data()}};
    args.scratch = {scratch->data()};
    run(args);
    const std::vector<uint8_t>& want = Want();
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t at = i / stride * row + i % stride;
      const bool is_output = i % stride < row && i + 1 < y.size();
      ASSERT_EQ(int{y[i]}, is_output ? int{want[at]} : 77)
          << "byte " << i << " of rows " << stride << " apart";
    }
  }

  int Random(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  void Fill(std::vector<uint8_t>& quantized, int64_t n) {
    quantized.resize(static_cast<size_t>(n));
    for (uint8_t& value : quantized) {
      value = static_cast<uint8_t>(Random(0, 255));
    }
  }
  QuantizationPtr MakeQuantization(const std::vector<float>& scales,
                                   int32_t zero, int axis) {
    Quantization q;
    q.scales = scales;
    q.zero_points.assign(scales.size(), zero);
    q.axis = axis;
    return std::make_shared<const Quantization>(q);
  }
  void Add(const Shape& shape, const std::vector<float>& scales, int32_t zero,
           int axis, const void* data) {
    Operand operand;
    operand.type.dtype = c_.is_unsigned ? DataType::kU8 : DataType::kI8;
    operand.type.shape = shape;
    operand.type.quantization = MakeQuantization(scales, zero, axis);
    operand.data = data;
    node_.inputs.push_back(operand);
  }
  int32_t QuantizedValue(uint8_t value) const {
    return c_.is_unsigned ? value : static_cast<int8_t>(value);
  }

  uint32_t Sum(int64_t n, int64_t p, int64_t q, int64_t o) const {
    const bool depthwise = c_.op == "DepthwiseConv2d";
    const int64_t pad = (c_.kernel - 1) * c_.dilation / 2;
    const int64_t inputs = depthwise ? 1 : c_.in / c_.group;
    const int64_t m = depthwise ? c_.out / c_.in : 1;
    const int64_t first = depthwise ? o / m : o / (c_.out / c_.group) * inputs;
    const int64_t filter = depthwise ? o % m * c_.in + o / m : o;
    auto sum = static_cast<uint32_t>(bias_[static_cast<size_t>(o)]);
    for (int64_t r = 0; r < c_.kernel; ++r) {
      for (int64_t t = 0; t < c_.kernel; ++t) {
        const int64_t i = p * c_.stride - pad + r * c_.dilation;
        const int64_t j = q * c_.stride - pad + t * c_.dilation;
        if (i < 0 || i >= c_.height || j < 0 || j >= c_.width) continue;
        for (int64_t k = 0; k < inputs; ++k) {
          const int32_t x = QuantizedValue(
              x_[((n * c_.height + i) * c_.width + j) * c_.in + first + k]);
          const int32_t w =
              QuantizedValue(w_[(filter * inputs + k) * c_.kernel * c_.kernel +
                                r * c_.kernel + t]);
          sum += static_cast<uint32_t>((x - c_.x_zero) * (w - c_.w_zero));
        }
      }
    }
    return sum;
  }

  const std::vector<uint8_t>& Want() {
    if (!want_.empty()) return want_;
    const Quantization& w = *node_.inputs[1].type.quantization;
    const int32_t least = c_.is_unsigned ? 0 : -128, most = least + 255;
    const bool matrix = c_.op == "FullyConnected";
    for (int64_t i = 0; i < y_size_; ++i) {
      const int64_t o = i % c_.out, pixel = i / c_.out;
      const int64_t q = matrix ? 0 : pixel % out_w_;
      const int64_t p = matrix ? 0 : pixel / out_w_ % out_h_;
      const int64_t n = matrix ? pixel : pixel / out_w_ / out_h_;
      const FixedFactor f =
          ToFixed(w.scales[w.scales.size() == 1 ? 0 : static_cast<size_t>(o)]);
      const int64_t value =
          int64_t{Scale(static_cast<int32_t>(Sum(n, p, q, o)), f)} + c_.y_zero;
      want_.push_back(static_cast<uint8_t>(
          std::min<int64_t>(std::max<int64_t>(value, least), most)));
    }
    return want_;
  }

  const Case c_;
  std::minstd_rand random_{5};
  int64_t depth_ = 0, out_h_ = 1, out_w_ = 1, y_size_ = 0;
  std::vector<uint8_t> x_, w_, want_;
  std::vector<int32_t> bias_;
  Node node_;
  std::unique_ptr<ThreadPool> threads_;
  std::unique_ptr<PackedWeights> packed_;
  CpuContext context_;
};

// Calls check(conv, threads) for quantized values of both types with zero
// points at the ends of their range.
void ForEachZero(const Case& c, const std::function<void(Conv&, int)>& check) {
  for (int zeros = 0; zeros < 4; ++zeros) {
    Case each = c;
    each.is_unsigned = zeros >= 2;
    const int32_t least = each.is_unsigned ? 0 : -128;
    each.x_zero = zeros % 2 == 0 ? least : least + 255;
    each.y_zero = zeros % 2 == 0 ? least + 255 : least + 120;
    each.w_zero = zeros == 2 ? 131 : zeros == 1 && c.scales == 0 ? 127 : 0;
    if (each.is_unsigned) each.scales = 0;  // as CheckFilterTypes demands
    SCOPED_TRACE(c.op + " zeros " + std::to_string(zeros) + " kernel " +
                 std::to_string(c.kernel) + " channels " +
                 std::to_string(c.in) + " to " + std::to_string(c.out));
    Conv conv(each);
    check(conv, 1 + zeros % 2);
  }
}

void CheckAll(const Case& c) {
  ForEachZero(c, [](Conv& conv, int threads) {
    for (const CpuFeatures features : SomeFeatures()) {
      SCOPED_TRACE(ToString(features));
      conv.Check(features, threads);
    }
  });
}

void CheckWinograd(const Case& c) {
  ForEachZero(c, [](Conv& conv, int threads) {
    for (const WinogradQ8& row : kWinogradQ8) {
      if (!FitsThisCpu(row)) continue;
      conv.CheckWinograd(row, DetectCpuFeatures(), threads);
      conv.CheckWinograd(row, DetectCpuFeatures(), 5 - threads);
    }
  });
}

TEST(ConvQ8, Products) {
  CheckAll({"Conv2d", 5, 7, 3, 8, 3, 2, 1, 1, 2});
  CheckAll({"Conv2d", 9, 13, 16, 33, 3, 1, 1});
  CheckAll({"Conv2d", 6, 6, 65, 70, 1, 1, 1});
  CheckAll({"Conv2d", 7, 5, 4, 5, 1, 2, 1});
  CheckAll({"Conv2d", 8, 8, 6, 9, 3, 1, 2, 3});
  CheckAll({"Conv2d", 11, 20, 1, 4, 5, 2, 1});
  // Many rows and small filters, of which a few tiles at a time are packed.
  CheckAll({"Conv2d", 30, 31, 4, 10, 3, 2, 1, 1, 2});
  CheckAll({"Conv2d", 40, 25, 6, 70, 1});
  CheckAll({"Conv2d", 21, 25, 6, 12, 3, 1, 1, 3});
  CheckAll({"Conv2d", 5, 5, 4, 6, 3, 1, 1, 1, /*batch=*/0});  // no rows
}

TEST(ConvQ8, PackingASmallFilterTakesNoWholePicture) {
  for (const CpuFeatures features : SomeFeatures()) {
    SCOPED_TRACE(ToString(features));
    const int64_t small = Conv({"Conv2d", 24, 24, 16, 16, 1}).Scratch(features);
    EXPECT_EQ(Conv({"Conv2d", 96, 96, 16, 16, 1}).Scratch(features), small);
    EXPECT_LT(small, int64_t{24} * 24 * 64);
    // The filter does not stay in the first-level cache.
    EXPECT_GT(Conv({"Conv2d", 24, 24, 640, 640, 1}).Scratch(features),
              Conv({"Conv2d", 6, 6, 640, 640, 1}).Scratch(features));
  }
}

TEST(ConvQ8, FactorsOfManySizes) {
  CheckAll({"Conv2d", 4, 4, 12, 49, 3, 1, 1, 1, 1, false, 0, 0, 0, 24});
  CheckAll(
      {"DepthwiseConv2d", 4, 4, 49, 49, 3, 1, 1, 49, 1, false, 0, 0, 0, 24});
  CheckAll({"FullyConnected", 1, 1, 30, 49, 1, 1, 1, 1, 3, false, 0, 0, 0, 24});
}

TEST(ConvQ8, Depthwise) {
  for (const int64_t kernel : {1, 3, 5, 7}) {
    for (const int64_t stride : {1, 2}) {
      CheckAll({"DepthwiseConv2d", 9, 19, 70, 70, kernel, stride, 1, 70, 2});
    }
  }
  CheckAll({"DepthwiseConv2d", 8, 9, 16, 16, 3, 1, 2, 16});
  CheckAll({"DepthwiseConv2d", 6, 5, 3, 12, 3, 2, 1, 3});  // 4 of each channel
}

TEST(ConvQ8, Matrices) {
  for (const int64_t rows : {1, 2, 13, 40}) {
    CheckAll({"FullyConnected", 1, 1, 77, 35, 1, 1, 1, 1, rows});
  }
  CheckAll({"FullyConnected", 1, 1, 1024, 3});
}

TEST(ConvQ8, Winograd) {
  CheckWinograd({"Conv2d", 4, 4, 1, 1, 3});
  CheckWinograd({"Conv2d", 9, 13, 16, 33, 3, 1, 1, 1, 2});
  CheckWinograd({"Conv2d", 1, 3, 70, 7, 3});
  CheckWinograd({"Conv2d", 35, 30, 5, 40, 3});
  CheckWinograd({"Conv2d", 14, 6, 33, 65, 3, 1, 1, 1, 1, false, 0, 0, 0, 24});
}

TEST(ConvQ8, WinogradWhereItPaysAndIsExact) {
  Case c = {"Conv2d", 28, 28, 128, 32, 3};
  EXPECT_TRUE(Conv(c).PrefersWinograd());
  c.stride = 2;
  EXPECT_FALSE(Conv(c).PrefersWinograd());
  c = {"Conv2d", 5, 5, 1, 8, 3};
  EXPECT_FALSE(Conv(c).PrefersWinograd()) << "the transforms cost too much";
  Conv conv({"Conv2d", 20, 20, 300, 16, 3});
  EXPECT_TRUE(conv.PrefersWinograd());
  conv.SetFilter(0x80);  // 2700 times 128 times 128 is more than 2^25
  EXPECT_FALSE(conv.PrefersWinograd());
}

}  // namespace
}  // namespace mace::cpu
