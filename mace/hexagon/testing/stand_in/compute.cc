// Operations of hexagon_nn in plain loops.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/testing/stand_in/compute.h"

#include <algorithm>
#include <functional>
#include <map>

#include "mace/hexagon/testing/stand_in/float_tensor.h"

namespace mace::hexagon::testing {
namespace {

// Output extent and padding before the input.
struct Side {
  int64_t out = 0, before = 0;
};
Side SideOf(int64_t in, int64_t kernel, int64_t stride, uint32_t padding) {
  if (padding == 2) return {(in - kernel) / stride + 1, 0};
  const int64_t out = (in + stride - 1) / stride;
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + kernel - in);
  return {out, padding == 1 ? total / 2 : (total + 1) / 2};
}

Outputs Conv(const Inputs& in, uint32_t padding, bool depthwise) {
  const FloatTensor x = Read(*in[0], *in[2], *in[3]);
  const FloatTensor w = Read(*in[1], *in[4], *in[5]);
  const int64_t sh = in[6]->shape[1], sw = in[6]->shape[2];
  const int64_t depth = depthwise ? x.shape[3] * w.shape[3] : w.shape[3];
  const double bias_step =
      (double{Float(*in[9])} - Float(*in[8])) / 4294967296.0;
  const Side h = SideOf(x.shape[1], w.shape[0], sh, padding);
  const Side v = SideOf(x.shape[2], w.shape[1], sw, padding);
  FloatTensor y =
      Like(x.shape[0], h.out, v.out, depth, Float(*in[10]), Float(*in[11]));
  size_t at = 0;
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    for (int64_t i = 0; i < h.out * v.out * depth; ++i) {
      const int64_t d = i % depth, ow = i / depth % v.out,
                    oh = i / depth / v.out;
      double sum = 0;
      for (int64_t kh = 0; kh < w.shape[0]; ++kh) {
        for (int64_t kw = 0; kw < w.shape[1]; ++kw) {
          const int64_t r = oh * sh - h.before + kh,
                        c = ow * sw - v.before + kw;
          if (r < 0 || c < 0 || r >= x.shape[1] || c >= x.shape[2]) continue;
          if (depthwise) {
            sum += x.at(b, r, c, d / w.shape[3]) *
                   w.at(kh, kw, d / w.shape[3], d % w.shape[3]);
            continue;
          }
          for (int64_t k = 0; k < x.shape[3]; ++k) {
            sum += x.at(b, r, c, k) * w.at(kh, kw, k, d);
          }
        }
      }
      const auto channel = static_cast<size_t>(d);
      if (in.size() > 12) sum *= Float(*in[12], channel);
      y.x[at++] = sum + Int(*in[7], channel) * bias_step;
    }
  }
  return Write(y);
}

Outputs Pool(const Inputs& in, uint32_t padding, bool is_max) {
  const FloatTensor x = Read(*in[0], *in[1], *in[2]);
  const int64_t kernel_h = in[3]->shape[1], kernel_w = in[3]->shape[2];
  const int64_t sh = in[4]->shape[1], sw = in[4]->shape[2];
  const Side h = SideOf(x.shape[1], kernel_h, sh, padding);
  const Side v = SideOf(x.shape[2], kernel_w, sw, padding);
  FloatTensor y = Like(x.shape[0], h.out, v.out, x.shape[3], x.min, x.max);
  size_t at = 0;
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    for (int64_t i = 0; i < h.out * v.out * x.shape[3]; ++i) {
      const int64_t d = i % x.shape[3], ow = i / x.shape[3] % v.out,
                    oh = i / x.shape[3] / v.out;
      double sum = 0, most = -1e30;
      int n = 0;
      for (int64_t k = 0; k < kernel_h * kernel_w; ++k) {
        const int64_t r = oh * sh - h.before + k / kernel_w,
                      c = ow * sw - v.before + k % kernel_w;
        if (r < 0 || c < 0 || r >= x.shape[1] || c >= x.shape[2]) continue;
        sum += x.at(b, r, c, d);
        most = std::max(most, x.at(b, r, c, d));
        ++n;
      }
      y.x[at++] = is_max ? most : sum / n;
    }
  }
  return Write(y);
}

using Function2 = double (*)(double a, double b);

// a and b where each extent is equal or 1.
FloatTensor Broadcast(const Inputs& in, Function2 f) {
  const FloatTensor a = Read(*in[0], *in[2], *in[3]);
  const FloatTensor b = Read(*in[1], *in[4], *in[5]);
  int64_t n[4];
  for (int i = 0; i < 4; ++i) n[i] = std::max(a.shape[i], b.shape[i]);
  FloatTensor y = Like(n[0], n[1], n[2], n[3], 0, 0);
  for (int64_t i = 0; i < static_cast<int64_t>(y.x.size()); ++i) {
    const int64_t at[4] = {i / (n[1] * n[2] * n[3]), i / (n[2] * n[3]) % n[1],
                           i / n[3] % n[2], i % n[3]};
    y.x[static_cast<size_t>(i)] =
        f(a.at(at[0] % a.shape[0], at[1] % a.shape[1], at[2] % a.shape[2],
               at[3] % a.shape[3]),
          b.at(at[0] % b.shape[0], at[1] % b.shape[1], at[2] % b.shape[2],
               at[3] % b.shape[3]));
  }
  return y;
}

Outputs Binary(const Inputs& in, Function2 f) {
  FloatTensor y = Broadcast(in, f);
  y.min = Float(*in[6]);
  y.max = Float(*in[7]);
  return Write(y);
}

// To 32 bits, with the range of products of quantized values.
Outputs Multiply(const Inputs& in) {
  const FloatTensor y = Broadcast(in, [](double a, double b) { return a * b; });
  const double unit = (double{Float(*in[3])} - Float(*in[2])) / 255 *
                      ((double{Float(*in[5])} - Float(*in[4])) / 255);
  Outputs outputs(1);
  std::copy(y.shape, y.shape + 4, outputs[0].shape);
  for (const double real : y.x) {
    const auto value = static_cast<int32_t>(std::lround(real / unit));
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    outputs[0].bytes.insert(outputs[0].bytes.end(), bytes, bytes + 4);
  }
  outputs.push_back(Scalar(-unit * 2147483648.0));
  outputs.push_back(Scalar(unit * 2147483648.0));
  return outputs;
}

Outputs Requantize32(const Inputs& in) {
  FloatTensor y = Like(in[0]->shape[0], in[0]->shape[1], in[0]->shape[2],
                       in[0]->shape[3], Float(*in[3]), Float(*in[4]));
  const double step = (double{Float(*in[2])} - Float(*in[1])) / 4294967296.0;
  for (size_t i = 0; i < y.x.size(); ++i) y.x[i] = Int(*in[0], i) * step;
  return Write(y);
}

Outputs Each(const Inputs& in, double min, double max,
             const std::function<double(double)>& f) {
  FloatTensor x = Read(*in[0], *in[1], *in[2]);
  for (double& one : x.x) one = f(one);
  x.min = min;
  x.max = max;
  return Write(x);
}

Outputs Clamp(const Inputs& in) {
  const double low = Float(*in[3]), high = Float(*in[4]);
  return Each(in, Float(*in[1]), Float(*in[2]),
              [&](double x) { return std::clamp(x, low, high); });
}

Outputs Softmax(const Inputs& in) {
  FloatTensor x = Read(*in[0], *in[1], *in[2]);
  const auto depth = static_cast<size_t>(x.shape[3]);
  for (size_t row = 0; row < x.x.size(); row += depth) {
    const double most = *std::max_element(&x.x[row], &x.x[row] + depth);
    double sum = 0;
    for (size_t d = 0; d < depth; ++d) {
      sum += x.x[row + d] = std::exp(x.x[row + d] - most);
    }
    for (size_t d = 0; d < depth; ++d) x.x[row + d] /= sum;
  }
  x.min = 0;
  x.max = 1;
  return Write(x);
}

double Add(double a, double b) { return a + b; }
double Subtract(double a, double b) { return a - b; }
double Least(double a, double b) { return std::min(a, b); }
double Most(double a, double b) { return std::max(a, b); }

struct Known {
  NnArity arity;
  bool has_window = false;
  std::function<Outputs(const Inputs&, uint32_t padding)> compute;
};

const std::map<std::string, Known>& Table() {
  using I = const Inputs&;
  static const auto* const table = new std::map<std::string, Known>{
      {"Supernode_8x8p32to8",
       {{12, 13, 3}, true, [](I x, uint32_t p) { return Conv(x, p, false); }}},
      {"DepthwiseSupernode_8x8p32to8",
       {{12, 13, 3}, true, [](I x, uint32_t p) { return Conv(x, p, true); }}},
      {"QuantizedMaxPool_8",
       {{5, 5, 3}, true, [](I x, uint32_t p) { return Pool(x, p, true); }}},
      {"QuantizedAvgPool_8",
       {{5, 5, 3}, true, [](I x, uint32_t p) { return Pool(x, p, false); }}},
      {"QuantizedAdd_8p8to8",
       {{8, 8, 3}, false, [](I x, uint32_t) { return Binary(x, Add); }}},
      {"QuantizedSub_8p8to8",
       {{8, 8, 3}, false, [](I x, uint32_t) { return Binary(x, Subtract); }}},
      {"QuantizedMinimum_8",
       {{8, 8, 3}, false, [](I x, uint32_t) { return Binary(x, Least); }}},
      {"QuantizedMaximum_8",
       {{8, 8, 3}, false, [](I x, uint32_t) { return Binary(x, Most); }}},
      {"QuantizedMul_8x8to32",
       {{6, 6, 3}, false, [](I x, uint32_t) { return Multiply(x); }}},
      {"Requantize_32to8",
       {{5, 5, 3}, false, [](I x, uint32_t) { return Requantize32(x); }}},
      {"Requantize_8to8",
       {{5, 5, 3},
        false,
        [](I x, uint32_t) {
          return Each(x, Float(*x[3]), Float(*x[4]),
                      [](double one) { return one; });
        }}},
      {"QuantizedClamp_8",
       {{5, 5, 3}, false, [](I x, uint32_t) { return Clamp(x); }}},
      {"QuantizedTanh_8",
       {{3, 3, 3},
        false,
        [](I x, uint32_t) {
          return Each(x, -1, 128.0 / 127,
                      [](double one) { return std::tanh(one); });
        }}},
      {"QuantizedSigmoid_8",
       {{3, 3, 3},
        false,
        [](I x, uint32_t) {
          return Each(x, 0, 1,
                      [](double one) { return 1 / (1 + std::exp(-one)); });
        }}},
      {"QuantizedSoftmax_8",
       {{3, 4, 3}, false, [](I x, uint32_t) { return Softmax(x); }}},
      {"QuantizedConcat_8",
       {{4, 1 << 16, 3}, false, [](I x, uint32_t) { return Concat(x); }}},
      {"QuantizedReshape",
       {{4, 4, 3}, false, [](I x, uint32_t) { return Reshape(x); }}},
      {"Transpose_8",
       {{4, 4, 3}, false, [](I x, uint32_t) { return Transpose(x); }}},
      {"QuantizedPad_8",
       {{4, 5, 3}, false, [](I x, uint32_t) { return Pad(x); }}},
      {"QuantizedMean_8",
       {{6, 6, 3}, false, [](I x, uint32_t) { return Mean(x); }}},
      {"DepthToSpace_8",
       {{4, 5, 3}, false, [](I x, uint32_t) { return DepthToSpace(x); }}},
      {"SpaceToDepth_8",
       {{4, 4, 3}, false, [](I x, uint32_t) { return SpaceToDepth(x); }}},
      {"QuantizedResizeBilinear_8",
       {{4, 5, 3}, false, [](I x, uint32_t) { return ResizeBilinear(x); }}},
  };
  return *table;
}

}  // namespace

NnArity ArityOf(const std::string& op) {
  if (op == "INPUT") return {0, 0, 1 << 16};
  if (op == "OUTPUT") return {1, 1 << 16, 0};
  const auto found = Table().find(op);
  return found == Table().end() ? NnArity() : found->second.arity;
}

std::string Compute(const std::string& op, uint32_t padding,
                    const Inputs& inputs, Outputs* outputs) {
  const auto found = Table().find(op);
  if (found == Table().end()) return "no such operation";
  const bool is_window = padding == 1 || padding == 2 || padding == 5;
  if (found->second.has_window != is_window) return "wrong padding";
  *outputs = found->second.compute(inputs, padding);
  return "";
}

}  // namespace mace::hexagon::testing
