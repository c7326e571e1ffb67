// The operations of hexagon_nn that take each number from a place, or from a
// few.
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <functional>

#include "mace/hexagon/testing/stand_in/float_tensor.h"

namespace mace::hexagon::testing {
namespace {

// y of `shape` where element (b, h, w, d) is x at what `from` makes of it.
using Index = std::array<int64_t, 4>;
Outputs Moved(const FloatTensor& x, const Index& n,
              const std::function<double(const Index&)>& from) {
  FloatTensor y = Like(n[0], n[1], n[2], n[3], x.min, x.max);
  for (int64_t i = 0; i < static_cast<int64_t>(y.x.size()); ++i) {
    y.x[static_cast<size_t>(i)] =
        from({i / (n[1] * n[2] * n[3]), i / (n[2] * n[3]) % n[1],
              i / n[3] % n[2], i % n[3]});
  }
  return Write(y);
}

}  // namespace

Outputs Concat(const Inputs& in) {
  const size_t n = (in.size() - 1) / 3;
  std::vector<FloatTensor> parts;
  int64_t depth = 0;
  double min = 0, max = 0;
  for (size_t i = 0; i < n; ++i) {
    parts.push_back(Read(*in[1 + i], *in[1 + n + i], *in[1 + 2 * n + i]));
    depth += parts[i].shape[3];
    min = std::min(min, parts[i].min);
    max = std::max(max, parts[i].max);
  }
  const int64_t* shape = parts[0].shape;
  FloatTensor y = Like(shape[0], shape[1], shape[2], depth, min, max);
  const int64_t rows = shape[0] * shape[1] * shape[2];
  size_t at = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (const FloatTensor& part : parts) {
      const auto each = static_cast<size_t>(part.shape[3]);
      for (size_t d = 0; d < each; ++d) {
        y.x[at++] = part.x[static_cast<size_t>(row) * each + d];
      }
    }
  }
  return Write(y);
}

Outputs Reshape(const Inputs& in) {
  Outputs outputs = {*in[0], *in[2], *in[3]};
  for (size_t i = 0; i < 4; ++i) outputs[0].shape[i] = Int(*in[1], i);
  return outputs;
}

Outputs Transpose(const Inputs& in) {
  const FloatTensor x = Read(*in[0], *in[2], *in[3]);
  Index n = {};
  for (size_t i = 0; i < 4; ++i) n[i] = x.shape[Int(*in[1], i)];
  return Moved(x, n, [&](const Index& y) {
    Index at = {};
    for (size_t i = 0; i < 4; ++i) at[Int(*in[1], i)] = y[i];
    return x.at(at[0], at[1], at[2], at[3]);
  });
}

Outputs Pad(const Inputs& in) {
  const FloatTensor x = Read(*in[0], *in[1], *in[2]);
  Index n = {}, before = {};
  for (size_t i = 0; i < 4; ++i) {
    before[i] = Int(*in[3], 2 * i);
    n[i] = x.shape[i] + before[i] + Int(*in[3], 2 * i + 1);
  }
  const double value = in.size() > 4 ? Float(*in[4]) : 0;
  return Moved(x, n, [&](const Index& y) {
    Index at = {};
    for (size_t i = 0; i < 4; ++i) {
      at[i] = y[i] - before[i];
      if (at[i] < 0 || at[i] >= x.shape[i]) return value;
    }
    return x.at(at[0], at[1], at[2], at[3]);
  });
}

Outputs Mean(const Inputs& in) {
  const FloatTensor x = Read(*in[0], *in[1], *in[2]);
  Index n = {x.shape[0], x.shape[1], x.shape[2], x.shape[3]},
        along = {1, 1, 1, 1};
  for (int64_t i = 0; i < in[3]->elements(); ++i) {
    const auto axis = static_cast<size_t>(Int(*in[3], static_cast<size_t>(i)));
    along[axis] = n[axis];
    n[axis] = 1;
  }
  FloatTensor range = x;
  range.min = Float(*in[4]);
  range.max = Float(*in[5]);
  return Moved(range, n, [&](const Index& y) {
    double sum = 0;
    const int64_t count = along[0] * along[1] * along[2] * along[3];
    for (int64_t i = 0; i < count; ++i) {
      sum += x.at(y[0] + i / (along[1] * along[2] * along[3]),
                  y[1] + i / (along[2] * along[3]) % along[1],
                  y[2] + i / along[3] % along[2], y[3] + i % along[3]);
    }
    return sum / static_cast<double>(count);
  });
}

Outputs DepthToSpace(const Inputs& in) {
  const FloatTensor x = Read(*in[0], *in[2], *in[3]);
  const int64_t b = Int(*in[1]), depth = x.shape[3] / (b * b);
  return Moved(x, {x.shape[0], x.shape[1] * b, x.shape[2] * b, depth},
               [&](const Index& y) {
                 const int64_t block = y[1] % b * b + y[2] % b;
                 return x.at(y[0], y[1] / b, y[2] / b, block * depth + y[3]);
               });
}

Outputs SpaceToDepth(const Inputs& in) {
  const FloatTensor x = Read(*in[0], *in[2], *in[3]);
  const int64_t b = Int(*in[1]), depth = x.shape[3];
  return Moved(x, {x.shape[0], x.shape[1] / b, x.shape[2] / b, depth * b * b},
               [&](const Index& y) {
                 const int64_t block = y[3] / depth;
                 return x.at(y[0], y[1] * b + block / b, y[2] * b + block % b,
                             y[3] % depth);
               });
}

Outputs ResizeBilinear(const Inputs& in) {
  const FloatTensor x = Read(*in[0], *in[2], *in[3]);
  const int64_t out_h = Int(*in[1], 0), out_w = Int(*in[1], 1);
  const bool aligns = in.size() > 4 && Int(*in[4]) != 0;
  const auto ratio = [&](int64_t from, int64_t to) {
    return aligns && to > 1 ? double(from - 1) / double(to - 1)
                            : double(from) / double(to);
  };
  const double rh = ratio(x.shape[1], out_h), rw = ratio(x.shape[2], out_w);
  return Moved(x, {x.shape[0], out_h, out_w, x.shape[3]}, [&](const Index& y) {
    const double h = double(y[1]) * rh, w = double(y[2]) * rw;
    const int64_t h0 = static_cast<int64_t>(h), w0 = static_cast<int64_t>(w);
    const int64_t h1 = std::min(h0 + 1, x.shape[1] - 1),
                  w1 = std::min(w0 + 1, x.shape[2] - 1);
    const double fh = h - double(h0), fw = w - double(w0);
    return (x.at(y[0], h0, w0, y[3]) * (1 - fw) +
            x.at(y[0], h0, w1, y[3]) * fw) *
               (1 - fh) +
           (x.at(y[0], h1, w0, y[3]) * (1 - fw) +
            x.at(y[0], h1, w1, y[3]) * fw) *
               fh;
  });
}

}  // namespace mace::hexagon::testing
