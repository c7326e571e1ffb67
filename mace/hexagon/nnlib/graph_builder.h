// GraphBuilder: the constants and operations of a graph of hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
//
// Activations are uint8 there, each with two more tensors of one float, its min
// and max: what 0 and 255 stand for. int8 is moved by 128 at the border. Builds
// a description only; Graph::Create hands it to the library.
#ifndef MACE_HEXAGON_NNLIB_GRAPH_BUILDER_H_
#define MACE_HEXAGON_NNLIB_GRAPH_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/graph/node.h"
#include "mace/hexagon/nnlib/abi.h"
#include "mace/hexagon/nnlib/ops.h"

namespace mace::hexagon::nnlib {

// Batches, height, width and depth; a lower rank has ones before it: [n, c] is
// {1, 1, n, c}.
struct Shape4 {
  uint32_t b = 1, h = 1, w = 1, d = 1;

  // Fits 32 bits for what ToShape4 returned.
  uint32_t elements() const { return b * h * w * d; }
};

// Errors: MACE_UNSUPPORTED for a rank above 4, and for 2^28 elements or more.
Result<Shape4> ToShape4(const Node& node, const Shape& shape);

// A tensor of uint8, and its range: what 0 and 255 stand for. Refers to outputs
// and constants of a builder.
struct QuantTensor {
  NnInput data = {}, min = {}, max = {};
  Shape4 shape;
};

// The range in which quantized values of `type` lie after those of i8 were
// moved by 128: scale * (0 - zero point) and scale * (255 - zero point).
// REQUIRES: quantized per tensor.
struct Range {
  float min = 0, max = 0;
};
Range RangeOf(const TensorType& type);

// An operation; its inputs are in the order in which hexagon_nn takes them.
struct Operation {
  uint32_t id = 0;
  Op op = kOpInput;
  NnPadding padding = kPadNone;
  std::vector<NnInput> inputs;
  std::vector<NnOutput> outputs;
};

// Numbers nodes from 1 on, in the order in which they are added, which must be
// one in which they can run. The constants live as long as the builder. If an
// allocation fails, `status` has the first error, the constant is empty or
// missing, and adding goes on: so only one check is needed, at the end. Not
// thread-safe.
class GraphBuilder {
 public:
  // Adds a constant of `bytes` bytes in row-major order. Copies `data`, or owns
  // it if it is a buffer.
  NnInput Const(const Shape4& shape, const void* data, size_t bytes);
  NnInput Const(const Shape4& shape, AlignedBuffer data, size_t bytes);
  NnInput Scalar(float value);
  NnInput Ints(const std::vector<int32_t>& values);  // [1,1,1,n]
  // Adds a constant without data, for its shape: how hexagon_nn takes strides
  // and windows.
  NnInput Sizes(uint32_t b, uint32_t h, uint32_t w, uint32_t d);
  // Adds a constant activation, moved to uint8, and its range. REQUIRES: `x`
  // has data, is int8 or uint8 and is quantized per tensor; `shape` is that of
  // `x`.
  QuantTensor ConstTensor(const Operand& x, const Shape4& shape);

  // Adds an operation with outputs as they are declared; returns its id. The
  // order of its inputs: nnlib/ops.h.
  uint32_t Add(Op op, std::vector<NnInput> inputs,
               std::vector<NnOutput> outputs, NnPadding padding = kPadNone);
  // Adds an operation whose outputs 0 to 2 are quantized values of `shape`,
  // their min and their max.
  QuantTensor AddQuantized(Op op, std::vector<NnInput> inputs,
                           const Shape4& shape, NnPadding padding = kPadNone);

  const Status& status() const { return status_; }
  const std::vector<NnConstNode>& consts() const { return consts_; }
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  uint32_t next_id_ = 1;
  Status status_;
  std::vector<NnConstNode> consts_;
  std::vector<AlignedBuffer> data_;
  std::vector<Operation> operations_;
};

// Declares an output of at most this shape, with elements of `element_bytes`
// bytes: 1 or 4.
NnOutput OutputOf(const Shape4& shape, uint32_t element_bytes);

// Copies `n` quantized values; if `is_signed`, moved by 128: from i8 to u8 or
// back, which is the same exclusive or. `from` and `to` do not overlap.
void CopyQuantized(bool is_signed, const void* from, size_t n, void* to);

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_GRAPH_BUILDER_H_
