// How many packets of instructions the kernels take: deterministic in the
// emulator, so that a slower kernel fails a test.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "mace/hexagon/packing/nodes.h"
#include "mace/hexagon/testing/emulated_dsp.h"
#include "mace/hexagon/testing/random.h"

namespace mace::hexagon::testing {
namespace {

// MobileNet v1 with random weights: the shapes decide what it takes.
class MobileNet {
 public:
  explicit MobileNet(int32_t size, int slices = 1)
      : writer(slices), random_(1), size_(size) {
    input_ = writer.AddInput(int64_t{3} * size * size);
    at_ = input_;
  }

  void Conv(const std::string& name, int32_t outputs, int32_t kernel,
            int32_t stride) {
    ConvParams p = {};
    p.batch = p.groups = 1;
    p.h = p.w = Slide(kernel, stride);
    p.in_per_group = channels_;
    p.out_per_group = outputs;
    p.is_signed = 1;
    p.y = {-128, -128, 127};
    const int64_t depth = int64_t{kernel} * kernel * channels_;
    const Bytes values = random_.Bytes(outputs * depth);
    const QuantizedFilter w = {values.data(),
                               true,
                               0,
                               outputs,
                               channels_,
                               int64_t{kernel} * kernel,
                               depth,
                               int64_t{kernel} * kernel,
                               1};
    auto packed = PackFilter(w, 1, ScalingOf(outputs, 0.5 / depth));
    size_ = p.h.out;
    channels_ = outputs;
    const int from = at_;
    AddConv(from, Next(), p, std::move(*packed), &writer);
    Count(name, int64_t{size_} * size_ * outputs * depth);
  }

  void Depthwise(const std::string& name, int32_t stride) {
    DepthwiseParams p = {};
    p.batch = 1;
    p.h = p.w = Slide(3, stride);
    p.channels = channels_;
    p.is_signed = 1;
    p.y = {-128, -128, 127};
    const Bytes values = random_.Bytes(channels_ * 9);
    const QuantizedFilter w = {
        values.data(), true, 0, channels_, 1, 9, 9, 1, 1};
    auto packed = PackDepthwise(w, 3, 3, ScalingOf(channels_, 0.05));
    size_ = p.h.out;
    const int from = at_;
    AddDepthwise(from, Next(), p, std::move(*packed), &writer);
    Count(name, int64_t{size_} * size_ * channels_ * 9);
  }

  void Mean() {
    PoolParams p = {};
    p.batch = 1;
    p.h = p.w = {size_, 1, size_, 1, 1, 0};
    p.channels = channels_;
    p.is_signed = 1;
    p.least = -128;
    p.most = 127;
    size_ = 1;
    const int from = at_;
    const int to = Next();
    writer.AddNode(kPool, {from, to}, p);
    Count("pool", 0);
  }

  void Classes(int32_t outputs) {
    ConvParams p = {};
    p.batch = p.groups = p.is_signed = 1;
    p.h = p.w = {1, 1, 1, 1, 1, 0};
    p.in_per_group = channels_;
    p.out_per_group = outputs;
    p.y = {0, -128, 127};
    const Bytes values = random_.Bytes(size_t{1} * outputs * channels_);
    const QuantizedFilter w = {values.data(), true, 0, outputs, channels_, 1,
                               channels_,     1,    0};
    auto packed = PackFilter(w, 1, ScalingOf(1, 1e-4));
    const int64_t macs = int64_t{outputs} * channels_;
    channels_ = outputs;
    output_ = writer.AddOutput(outputs);
    AddConv(at_, output_, p, std::move(*packed), &writer);
    Count("fc", macs);
  }

  void AddLayers() {
    Conv("conv 3x3/2", 32, 3, 2);
    const int32_t layers[][2] = {
        {64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
        {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
    for (const auto& [outputs, stride] : layers) {
      Depthwise(stride == 1 ? "dw 3x3" : "dw 3x3/2", stride);
      Conv("conv 1x1", outputs, 1, 1);
    }
    Mean();
    Classes(1001);
  }

  Result<EmulatedRun> Run(int32_t input_bytes) {
    return RunOnce(&writer, {{input_, random_.Bytes(input_bytes)}}, output_);
  }

  GraphWriter writer;
  std::vector<std::string> names;
  std::vector<int64_t> products;
  std::vector<int64_t> written;  // bytes

 private:
  WindowParams Slide(int32_t kernel, int32_t stride) const {
    const int32_t out = (size_ + stride - 1) / stride;
    const int32_t whole = (out - 1) * stride + kernel - size_;
    return {size_, out, kernel, stride, 1, whole > 0 ? whole / 2 : 0};
  }

  Scaling ScalingOf(int64_t n, double factor) {
    Scaling scaling;
    for (int64_t i = 0; i < n; ++i) {
      scaling.factors.push_back(random_.Factor(factor / 100));
    }
    return scaling;
  }

  int Next() {
    at_ = writer.AddInner(int64_t{size_} * size_ * channels_);
    return at_;
  }

  void Count(const std::string& name, int64_t macs) {
    names.push_back(name);
    products.push_back(macs);
    written.push_back(int64_t{size_} * size_ * channels_);
  }

  Random random_;
  int32_t size_, channels_ = 3;
  int input_ = 0, output_ = 0, at_ = 0;
};

TEST(PacketsTest, MobileNetV1IsWithinTwiceItsBound) {
  MobileNet net(224);
  net.AddLayers();
  const auto run = net.Run(3 * 224 * 224);
  ASSERT_TRUE(run.ok()) << run.status().information();
  int64_t total_macs = 0, in_kernels = 0, macs_1x1 = 0, packets_1x1 = 0;
  for (size_t i = 0; i < net.names.size(); ++i) {
    const double packets = run->perf[i].packets;
    std::printf(
        "%-11s %9lld macs %8.0f packets  %.2f of 128 macs  %.1f of 128 bytes\n",
        net.names[i].c_str(), static_cast<long long>(net.products[i]), packets,
        packets * 128 / static_cast<double>(net.products[i]),
        packets * 128 / static_cast<double>(net.written[i]));
    total_macs += net.products[i];
    in_kernels += run->perf[i].packets;
    // All but the first 1x1 convolution have 64 input channels or more.
    if (net.names[i] == "conv 1x1" && i > 2) {
      macs_1x1 += net.products[i];
      packets_1x1 += run->perf[i].packets;
    }
  }
  const double bound = static_cast<double>(total_macs) / 256;
  const double per_product =
      128.0 * static_cast<double>(packets_1x1) / static_cast<double>(macs_1x1);
  std::printf(
      "%u packets, %.2f of the bound; 1x1: %.3f per vrmpy; dispatch %.4f %%\n",
      run->packets, run->packets / bound, per_product,
      100.0 * (run->packets - static_cast<double>(in_kernels)) / run->packets);
  EXPECT_LE(run->packets, 2 * bound);
  EXPECT_LE(per_product, 0.65);
  EXPECT_LE(run->packets - in_kernels, 0.03 * run->packets);
}

// On hardware each slice has a thread, so that a node takes as long as its
// longest slice.
TEST(PacketsTest, FourSlicesShareTheWorkOfMobileNetV1) {
  MobileNet whole(224), sliced(224, 4);
  whole.AddLayers();
  sliced.AddLayers();
  const auto one = whole.Run(3 * 224 * 224), four = sliced.Run(3 * 224 * 224);
  ASSERT_TRUE(one.ok()) << one.status().information();
  ASSERT_TRUE(four.ok()) << four.status().information();
  EXPECT_EQ(one->output, four->output);
  double longest = 0;
  for (size_t i = 0; i < sliced.names.size(); ++i) {
    const PerfRecord& perf = four->perf[i];
    std::printf("%-11s %8u packets, %8u in the longest slice, %5u prefetches\n",
                sliced.names[i].c_str(), perf.packets, perf.longest,
                perf.prefetches);
    longest += perf.longest;
    const bool reads_rows = sliced.names[i] != "pool";
    EXPECT_EQ(perf.prefetches > 0, reads_rows) << sliced.names[i];
    EXPECT_EQ(one->perf[i].packets, one->perf[i].longest);
  }
  std::printf(
      "%u packets, %u in one slice; four take %.0f: %.2f times faster; "
      "%u bytes of VTCM, %u of DDR; one slice %u and %u\n",
      four->packets, one->packets, longest, one->packets / longest,
      sliced.writer.vtcm_bytes(), sliced.writer.arena_bytes(),
      whole.writer.vtcm_bytes(), whole.writer.arena_bytes());
  EXPECT_LE(four->packets, 1.05 * one->packets);
  EXPECT_LE(longest, one->packets / 3.4);
}

}  // namespace
}  // namespace mace::hexagon::testing
