// Maxima and means of quantized values, compared with their definition to the
// bit.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/pooling/pooling_q8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/ops/pooling.h"

namespace mace::cpu {
namespace {

struct Case {
  PoolingType type;
  bool is_unsigned;
  int64_t height, width, channels, kernel, stride = 1, dilation = 1, pad = 0;
  std::string activation = "NOOP";
};

class Pool {
 public:
  explicit Pool(const Case& c) : c_(c) {
    const auto extent = [&c](int64_t in) {
      return (in + 2 * c.pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
    };
    out_h_ = extent(c.height);
    out_w_ = extent(c.width);
    node_.name = "pool";
    node_.op = "Pooling";
    node_.attrs["pooling_type"] = static_cast<int64_t>(c.type);
    node_.attrs["kernels"] = std::vector<int64_t>{c.kernel, c.kernel};
    node_.attrs["strides"] = std::vector<int64_t>{c.stride, c.stride};
    node_.attrs["dilations"] = std::vector<int64_t>{c.dilation, c.dilation};
    node_.attrs["padding"] = int64_t{4};
    node_.attrs["padding_values"] = std::vector<int64_t>(4, c.pad);
    node_.attrs["activation"] = c.activation;
    Operand x;
    x.type.dtype = c.is_unsigned ? DataType::kU8 : DataType::kI8;
    x.type.shape = {1, c.height, c.width, c.channels};
    Quantization q;
    q.scales = {0.5f};
    q.zero_points = {c.is_unsigned ? 101 : -27};
    x.type.quantization = std::make_shared<const Quantization>(q);
    node_.inputs = {x};
    node_.outputs = {x.type};
    node_.outputs[0].shape = {1, out_h_, out_w_, c.channels};
    std::minstd_rand random(3);
    x_.resize(static_cast<size_t>(c.height * c.width * c.channels));
    for (uint8_t& value : x_) value = static_cast<uint8_t>(random() >> 8);
  }

  void Check() const {
    auto threads = ThreadPool::Create(2);
    ASSERT_TRUE(threads.ok());
    CpuContext context;
    context.threads = threads->get();
    auto kernel = PreparePoolingQ8(node_, context);
    ASSERT_TRUE(kernel.ok()) << kernel.status().information();
    ASSERT_TRUE((*kernel)->writes_rows());
    for (const int64_t row_stride : {int64_t{0}, c_.channels + 5}) {
      const int64_t stride = row_stride > 0 ? row_stride : c_.channels;
      std::vector<uint8_t> y(static_cast<size_t>(out_h_ * out_w_ * stride) + 1,
                             77);
      RunArgs args;
      args.inputs.push_back({const_cast<uint8_t*>(x_.data())});
      args.outputs.push_back({y.data()});
      (*kernel)->set_row_stride(row_stride);
      ASSERT_TRUE((*kernel)->Run(args).ok());
      for (size_t i = 0; i < y.size(); ++i) {
        const auto pixel = static_cast<int64_t>(i) / stride;
        const int64_t channel = static_cast<int64_t>(i) % stride;
        const bool is_output = channel < c_.channels && i + 1 < y.size();
        ASSERT_EQ(int{y[i]},
                  is_output ? int{Want(pixel * c_.channels + channel)} : 77)
            << "byte " << i << " of " << c_.channels << " channels, rows "
            << stride << " apart";
      }
    }
  }

 private:
  uint8_t Want(int64_t i) const {
    const int64_t channel = i % c_.channels, pixel = i / c_.channels;
    int64_t sum = 0, count = 0, most = -1000;
    for (int64_t r = 0; r < c_.kernel; ++r) {
      for (int64_t t = 0; t < c_.kernel; ++t) {
        const int64_t row =
            pixel / out_w_ * c_.stride - c_.pad + r * c_.dilation;
        const int64_t column =
            pixel % out_w_ * c_.stride - c_.pad + t * c_.dilation;
        if (row < 0 || row >= c_.height || column < 0 || column >= c_.width) {
          continue;
        }
        const uint8_t byte =
            x_[(row * c_.width + column) * c_.channels + channel];
        const int64_t value = c_.is_unsigned ? byte : static_cast<int8_t>(byte);
        sum += value;
        count += 1;
        most = std::max(most, value);
      }
    }
    int64_t value = most;
    if (c_.type == PoolingType::kAverage) {
      // Half away from zero, in whole numbers.
      const int64_t magnitude = (2 * std::abs(sum) + count) / (2 * count);
      value = sum < 0 ? -magnitude : magnitude;
    }
    if (c_.activation == "RELU") {
      value = std::max<int64_t>(value, c_.is_unsigned ? 101 : -27);
    }
    return static_cast<uint8_t>(value);
  }

  Case c_;
  int64_t out_h_ = 0, out_w_ = 0;
  std::vector<uint8_t> x_;
  Node node_;
};

void CheckBoth(Case c) {
  for (const PoolingType type : {PoolingType::kMax, PoolingType::kAverage}) {
    for (const bool is_unsigned : {false, true}) {
      c.type = type;
      c.is_unsigned = is_unsigned;
      Pool(c).Check();
    }
  }
}

TEST(PoolingQ8, EveryNumberOfChannels) {
  for (int64_t channels = 1; channels <= 90; ++channels) {
    CheckBoth({{}, {}, 7, 6, channels, 3, 2, 1, 1});
  }
  CheckBoth({{}, {}, 5, 5, 163, 2, 1, 2});
}

TEST(PoolingQ8, Activations) {
  CheckBoth({{}, {}, 9, 9, 35, 3, 1, 1, 0, "RELU"});
}

// Their quotients are computed in floats, and beyond 65536 values in integers.
TEST(PoolingQ8, LargeWindows) {
  for (const int64_t extent : {16, 100, 255, 256, 257}) {
    CheckBoth({{}, {}, extent, extent, 17, extent});
  }
}

}  // namespace
}  // namespace mace::cpu
