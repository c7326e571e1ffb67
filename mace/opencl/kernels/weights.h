// The weights of a node as an image of floats, or of int8 that
// kernels multiply as they are.
// SPDX-License-Identifier: Apache-2.0
//
// Int8 takes half the bytes of fp16. A kernel sums the products of int8 weights
// and activations, and multiplies each sum by the scale of its output (WEIGHTS
// in prelude.cl). Int8 that kSnorm8 cannot hold, as it has a zero point or a
// value of -128 or the device lacks such images, is kUnorm8, and the kernel
// subtracts the zero point as it reads the weights. The cost model decides
// between floats and int8; int8 that kernels cannot read is dequantized.
#ifndef MACE_OPENCL_KERNELS_WEIGHTS_H_
#define MACE_OPENCL_KERNELS_WEIGHTS_H_

#include <functional>
#include <string>

#include "mace/opencl/launch/target.h"

namespace mace::opencl {

// What DescribeWeights needs to know.
struct WeightUse {
  const Operand* weight = nullptr;  // an f32 constant
  ImageLayout layout = ImageLayout::kConvFilter;
  Extents4 extents = {0, 0, 0, 0};
  // Another order of the elements than the weight's own, and its name.
  const char* how = "elements";
  Rearrangement rearrange = {};
  int64_t outputs = 0;
  // Returns the index, in the weight, of one of the elements that an output
  // reads; empty: outputs are indices of the first axis.
  std::function<int64_t(int64_t)> element_of = nullptr;
  // The number of first axes of which an output reads one index each.
  int output_axes = 1;
  int64_t macs = 0;  // of the node
  // How many subtractions of the zero point a kernel does for each
  // multiply-add.
  double reads_per_mac = 1;
};

struct WeightImages {
  ConstantPtr weights;
  ConstantPtr scales;   // of int8, for each output; null: weights are floats
  float zero = 0;       // the pixel of a weight of 0, if pixels are kUnorm8
  std::string variant;  // what to append to that of the kernel
  double micros = 0;    // of multiplying by the images and of reading them
  int64_t bytes = 0;    // of both
};

// Chooses between int8 and floats. Errors: MACE_UNSUPPORTED if an image would
// be too large.
Result<WeightImages> DescribeWeights(const WeightUse& use,
                                     const Target& target);

// Returns what to append to a variant whose weights are dequantized floats.
std::string InFloats(const Target& target, const std::string& reason);

// Returns the microseconds of a kernel that reads input 0 and these weights
// once and writes output 0, by the cost model.
double PassMicros(const Node& node, const WeightImages& images,
                  const Target& target);

// Adds the arguments WEIGHTS, and the defines with which they are read.
void AddWeights(const WeightImages& images, Pass& pass);

// Returns the info of a kernel that consists of `pass` alone.
KernelSpec::Info InfoOf(const WeightImages& images, const Pass& pass,
                        int64_t macs);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_WEIGHTS_H_
