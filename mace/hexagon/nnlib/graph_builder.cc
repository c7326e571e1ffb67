// Putting a graph of hexagon_nn together.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/nnlib/graph_builder.h"

#include <cstring>
#include <utility>

namespace mace::hexagon::nnlib {

Result<Shape4> ToShape4(const Node& node, const Shape& shape) {
  constexpr int64_t kLimit = int64_t{1} << 28;
  const auto elements = CheckedNumElements(shape);
  if (shape.size() > 4 || !elements.ok() || *elements >= kLimit) {
    return Unsupported(Label(node), ": the vendor's library takes tensors of ",
                       "at most 4 dimensions and below 2^28 elements, not ",
                       ToString(shape));
  }
  uint32_t extents[4] = {1, 1, 1, 1};
  const size_t missing = 4 - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    extents[missing + i] = static_cast<uint32_t>(shape[i]);
  }
  return Shape4{extents[0], extents[1], extents[2], extents[3]};
}

Range RangeOf(const TensorType& type) {
  const Quantization& q = *type.quantization;
  const int32_t zero = q.zero_point() + (type.dtype == DataType::kI8 ? 128 : 0);
  return {q.scale() * static_cast<float>(0 - zero),
          q.scale() * static_cast<float>(255 - zero)};
}

NnOutput OutputOf(const Shape4& shape, uint32_t element_bytes) {
  NnOutput output = {};
  output.rank = 4;
  output.max_sizes[0] = shape.b;
  output.max_sizes[1] = shape.h;
  output.max_sizes[2] = shape.w;
  output.max_sizes[3] = shape.d;
  output.elementsize = element_bytes;
  return output;
}

void CopyQuantized(bool is_signed, const void* from, size_t n, void* to) {
  if (!is_signed) {
    if (n > 0) std::memcpy(to, from, n);
    return;
  }
  const auto* x = static_cast<const uint8_t*>(from);
  auto* const y = static_cast<uint8_t*>(to);
  for (size_t i = 0; i < n; ++i) y[i] = static_cast<uint8_t>(x[i] ^ 0x80);
}

NnInput GraphBuilder::Const(const Shape4& shape, AlignedBuffer data,
                            size_t bytes) {
  NnConstNode node = {};
  node.node_id = next_id_++;
  node.tensor.batches = shape.b;
  node.tensor.height = shape.h;
  node.tensor.width = shape.w;
  node.tensor.depth = shape.d;
  node.tensor.data = static_cast<uint8_t*>(data.data());
  node.tensor.data_bytes = static_cast<int32_t>(bytes);
  consts_.push_back(node);
  data_.push_back(std::move(data));
  return {node.node_id, 0};
}

NnInput GraphBuilder::Const(const Shape4& shape, const void* data,
                            size_t bytes) {
  auto copy = AlignedBuffer::Create(bytes, "a constant for the DSP");
  if (!copy.ok()) {
    if (status_.ok()) status_ = copy.status();
    return Const(shape, AlignedBuffer(), 0);
  }
  std::memcpy(copy->data(), data, bytes);
  return Const(shape, std::move(*copy), bytes);
}

NnInput GraphBuilder::Scalar(float value) {
  return Const({}, &value, sizeof(value));
}

NnInput GraphBuilder::Ints(const std::vector<int32_t>& values) {
  Shape4 shape;
  shape.d = static_cast<uint32_t>(values.size());
  return Const(shape, values.data(), values.size() * sizeof(int32_t));
}

NnInput GraphBuilder::Sizes(uint32_t b, uint32_t h, uint32_t w, uint32_t d) {
  return Const({b, h, w, d}, AlignedBuffer(), 0);
}

QuantTensor GraphBuilder::ConstTensor(const Operand& x, const Shape4& shape) {
  const auto bytes = static_cast<size_t>(shape.elements());
  QuantTensor values;
  values.shape = shape;
  auto copy = AlignedBuffer::Create(bytes, "a constant for the DSP");
  if (!copy.ok()) {
    if (status_.ok()) status_ = copy.status();
    return values;
  }
  CopyQuantized(x.type.dtype == DataType::kI8, x.data, bytes, copy->data());
  values.data = Const(shape, std::move(*copy), bytes);
  const Range range = RangeOf(x.type);
  values.min = Scalar(range.min);
  values.max = Scalar(range.max);
  return values;
}

uint32_t GraphBuilder::Add(Op op, std::vector<NnInput> inputs,
                           std::vector<NnOutput> outputs, NnPadding padding) {
  operations_.push_back(
      {next_id_, op, padding, std::move(inputs), std::move(outputs)});
  return next_id_++;
}

QuantTensor GraphBuilder::AddQuantized(Op op, std::vector<NnInput> inputs,
                                       const Shape4& shape, NnPadding padding) {
  const uint32_t id =
      Add(op, std::move(inputs),
          {OutputOf(shape, 1), OutputOf({}, 4), OutputOf({}, 4)}, padding);
  return {{id, 0}, {id, 1}, {id, 2}, shape};
}

}  // namespace mace::hexagon::nnlib
