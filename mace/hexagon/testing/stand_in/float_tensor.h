// Tensors of hexagon_nn as floats, for the stand-in.
// SPDX-License-Identifier: Apache-2.0
//
// Included by compute.cc and moves.cc. Operations are computed on real numbers:
// inputs are dequantized (Read), outputs quantized to a range (Write). With
// step = (max - min) / 255 and zero = round(-min / step),
//
//   real = (value - zero) * step     value = clamp(zero + round(real / step))
#ifndef MACE_HEXAGON_TESTING_STAND_IN_FLOAT_TENSOR_H_
#define MACE_HEXAGON_TESTING_STAND_IN_FLOAT_TENSOR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mace/hexagon/testing/stand_in/compute.h"

namespace mace::hexagon::testing {

using Inputs = std::vector<const NnTensor*>;
using Outputs = std::vector<NnTensor>;

// Element i as a float, and as an int32; 0 if the tensor does not have it, so
// that a test fails by its result.
inline float Float(const NnTensor& t, size_t i = 0) {
  float x = 0;
  if (t.bytes.size() >= 4 * (i + 1)) std::memcpy(&x, &t.bytes[4 * i], 4);
  return x;
}
inline int32_t Int(const NnTensor& t, size_t i = 0) {
  int32_t x = 0;
  if (t.bytes.size() >= 4 * (i + 1)) std::memcpy(&x, &t.bytes[4 * i], 4);
  return x;
}
// A tensor of one float: a min or a max.
inline NnTensor Scalar(double x) {
  NnTensor t;
  const auto value = static_cast<float>(x);
  t.bytes.resize(4);
  std::memcpy(t.bytes.data(), &value, 4);
  return t;
}

// Dequantized values, with the range in which they are quantized.
struct FloatTensor {
  int64_t shape[4] = {1, 1, 1, 1};
  std::vector<double> x;
  // The reals of 0 and 255.
  double min = 0, max = 0;

  // REQUIRES: indices within the shape.
  double at(int64_t b, int64_t h, int64_t w, int64_t d) const {
    return x[static_cast<size_t>(
        ((b * shape[1] + h) * shape[2] + w) * shape[3] + d)];
  }
};

// A tensor of zeros with this shape and range.
inline FloatTensor Like(int64_t b, int64_t h, int64_t w, int64_t d, double min,
                        double max) {
  FloatTensor y;
  y.shape[0] = b;
  y.shape[1] = h;
  y.shape[2] = w;
  y.shape[3] = d;
  y.x.resize(static_cast<size_t>(b * h * w * d));
  y.min = min;
  y.max = max;
  return y;
}

// Dequantizes uint8 values with the range of two scalars. REQUIRES: min < max,
// and `data` has a byte for each element.
inline FloatTensor Read(const NnTensor& data, const NnTensor& min,
                        const NnTensor& max) {
  FloatTensor floats = Like(data.shape[0], data.shape[1], data.shape[2],
                            data.shape[3], Float(min), Float(max));
  const double step = (floats.max - floats.min) / 255;
  const double zero = std::round(-floats.min / step);
  for (size_t i = 0; i < floats.x.size(); ++i) {
    floats.x[i] = (data.bytes[i] - zero) * step;
  }
  return floats;
}

// The quantized value of `real` in a range: 0 to 255.
inline int QuantizedOf(double real, double min, double max) {
  const double step = (max - min) / 255;
  const double value = std::round(-min / step) + std::round(real / step);
  return static_cast<int>(std::clamp(value, 0.0, 255.0));
}

// The three outputs of an operation: values, min and max.
inline Outputs Write(const FloatTensor& y) {
  Outputs outputs(1);
  std::copy(y.shape, y.shape + 4, outputs[0].shape);
  for (const double real : y.x) {
    outputs[0].bytes.push_back(
        static_cast<uint8_t>(QuantizedOf(real, y.min, y.max)));
  }
  outputs.push_back(Scalar(y.min));
  outputs.push_back(Scalar(y.max));
  return outputs;
}

// Operations that move numbers, in moves.cc. `in` has the inputs in the order
// of nnlib/ops.h; results are values, min and max.
Outputs Concat(const Inputs& in);
Outputs Reshape(const Inputs& in);
Outputs Transpose(const Inputs& in);
Outputs Pad(const Inputs& in);
Outputs Mean(const Inputs& in);
Outputs DepthToSpace(const Inputs& in);
Outputs SpaceToDepth(const Inputs& in);
Outputs ResizeBilinear(const Inputs& in);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_STAND_IN_FLOAT_TENSOR_H_
