// GraphBuilder: the constants and operations of a graph of hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
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

// Batches, height, width and depth; a lower rank has ones before it.
struct Shape4 {
  uint32_t b = 1, h = 1, w = 1, d = 1;

  uint32_t elements() const { return b * h * w * d; }
};

// Errors: MACE_UNSUPPORTED for a rank above 4, and for 2^28 elements or more.
Result<Shape4> ToShape4(const Node& node, const Shape& shape);

// A tensor of uint8, and its range: what 0 and 255
// stand for.
struct QuantTensor {
  NnInput data = {}, min = {}, max = {};
  Shape4 shape;
};

// The range in which quantized values of `type` lie after those of i8 were
// moved by 128.
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

// Numbers nodes from 1 on. The constants live as long as the builder. After a
// failed allocation, `status` says so and constants are empty.
class GraphBuilder {
 public:
  // Elements in row-major order, which are copied.
  NnInput Const(const Shape4& shape, const void* data, size_t bytes);
  NnInput Const(const Shape4& shape, AlignedBuffer data, size_t bytes);
  NnInput Scalar(float value);
  NnInput Ints(const std::vector<int32_t>& values);  // [1,1,1,n]
  // One without data, for its shape.
  NnInput Sizes(uint32_t b, uint32_t h, uint32_t w, uint32_t d);
  // A constant activation. REQUIRES: `x` has data.
  QuantTensor ConstTensor(const Operand& x, const Shape4& shape);

  // An operation with outputs as they are declared; returns its id.
  uint32_t Add(Op op, std::vector<NnInput> inputs,
               std::vector<NnOutput> outputs, NnPadding padding = kPadNone);
  // One whose outputs are quantized values, their min and their max.
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

// Of `element_bytes` each.
NnOutput OutputOf(const Shape4& shape, uint32_t element_bytes);

// Copies quantized values, those of i8 moved by 128: from i8 to u8 and back.
void CopyQuantized(bool is_signed, const void* from, size_t n, void* to);

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_GRAPH_BUILDER_H_
