// MobileNet v1 and v2, layer by layer.
// SPDX-License-Identifier: Apache-2.0

#include "test/memory/mobilenets.h"

#include <cmath>
#include <random>

namespace mace::test {
namespace {

using Ints = std::vector<int64_t>;
using testing::ModelBuilder;

constexpr int64_t kSize = 224;
constexpr int64_t kClasses = 1001;

class Network {
 public:
  Network() { builder_.Input("input", {1, kSize, kSize, 3}); }

  // Each returns the output.
  std::string Conv(const std::string& x, int64_t in, int64_t out,
                   int64_t kernel, int64_t stride, bool relu6 = true) {
    const std::string w =
        Weight({out, in, kernel, kernel}, in * kernel * kernel);
    return Add("Conv2d", {x, w, Weight({out}, 100)}, Window(stride, relu6));
  }
  std::string Depthwise(const std::string& x, int64_t channels,
                        int64_t stride) {
    const std::string w = Weight({1, channels, 3, 3}, 9);
    return Add("DepthwiseConv2d", {x, w, Weight({channels}, 100)},
               Window(stride, true));
  }
  std::string Sum(const std::string& a, const std::string& b) {
    return Add("Eltwise", {a, b}, {{"type", std::string("SUM")}});
  }
  ModelBuilder Finish(const std::string& x, int64_t channels) {
    const std::string mean =
        Add("Reduce", {x},
            {{"reduce_type", std::string("MEAN")}, {"axis", Ints{1, 2}}});
    const std::string w = Weight({kClasses, channels}, channels);
    const std::string y =
        Add("FullyConnected", {mean, w, Weight({kClasses}, 100)}, {});
    builder_.Op("Softmax", {y}, {"prob"}).Output("prob");
    return std::move(builder_);
  }

 private:
  static AttrMap Window(int64_t stride, bool relu6) {
    AttrMap attrs = {{"strides", Ints{stride, stride}},
                     {"padding", int64_t{1}}};
    if (relu6) {
      attrs["activation"] = std::string("RELUX");
      attrs["max_limit"] = 6.0f;
    }
    return attrs;
  }

  std::string Add(const std::string& op, const std::vector<std::string>& inputs,
                  const AttrMap& attrs) {
    const std::string name = "t" + std::to_string(count_++);
    builder_.Op(op, inputs, {name}, attrs);
    return name;
  }

  // Small enough that the sum over `fan_in` keeps its scale.
  std::string Weight(const Shape& shape, int64_t fan_in) {
    int64_t n = 1;
    for (int64_t extent : shape) n *= extent;
    const float limit = std::sqrt(6.0f / static_cast<float>(fan_in));
    std::vector<float> values(n);
    for (float& v : values) {
      v = limit * (static_cast<float>(rng_() >> 8) / (1 << 23) - 1);
    }
    const std::string name = "w" + std::to_string(count_++);
    builder_.Weight(name, shape, values);
    return name;
  }

  ModelBuilder builder_;
  std::mt19937 rng_{1};
  int count_ = 0;
};

}  // namespace

ModelBuilder MobileNetV1() {
  Network net;
  std::string x = net.Conv("input", 3, 32, 3, 2);
  int64_t in = 32;
  const int64_t blocks[][2] = {
      {64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
      {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  for (const auto& [out, stride] : blocks) {
    x = net.Conv(net.Depthwise(x, in, stride), in, out, 1, 1);
    in = out;
  }
  return net.Finish(x, in);
}

ModelBuilder MobileNetV2() {
  Network net;
  std::string x = net.Conv("input", 3, 32, 3, 2);
  int64_t in = 32;
  const int64_t settings[][4] = {// expansion, channels, count, stride
                                 {1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                                 {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                                 {6, 320, 1, 1}};
  for (const auto& [expansion, out, count, first_stride] : settings) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t stride = i == 0 ? first_stride : 1;
      const int64_t wide = in * expansion;
      std::string y = expansion > 1 ? net.Conv(x, in, wide, 1, 1) : x;
      y = net.Conv(net.Depthwise(y, wide, stride), wide, out, 1, 1, false);
      x = stride == 1 && in == out ? net.Sum(x, y) : y;
      in = out;
    }
  }
  return net.Finish(net.Conv(x, in, 1280, 1, 1), 1280);
}

MaceTensor Picture() {
  std::vector<float> v(kSize * kSize * 3);
  for (size_t i = 0; i < v.size(); ++i) {
    v[i] = static_cast<float>(i * 7919 % 255) / 127.5f - 1;
  }
  return testing::FloatTensor({1, kSize, kSize, 3}, v);
}

}  // namespace mace::test
