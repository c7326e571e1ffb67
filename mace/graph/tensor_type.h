// TensorType: the element type, shape, layout and quantization of a tensor,
// which shape inference computes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_TENSOR_TYPE_H_
#define MACE_GRAPH_TENSOR_TYPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/data_type.h"
#include "mace/graph/quantization.h"

namespace mace {

// Sizes, outermost first; >= 0, or -1 where a comment says that it is dynamic.
using Shape = std::vector<int64_t>;

// How the elements of a shape lie in memory. The shape itself never changes
// with the layout: a 4-D activation is always [N, H, W, C].
enum class Layout : uint8_t {
  kRowMajor,  // dense, the last dimension is contiguous
  kImage,     // RGBA texels of a 2-D image, see docs/memory_layout.md
};

struct TensorType {
  DataType dtype = DataType::kInvalid;
  Shape shape;
  Layout layout = Layout::kRowMajor;
  QuantizationPtr quantization = nullptr;

  bool is_quantized() const { return quantization != nullptr; }
  int rank() const { return static_cast<int>(shape.size()); }
  bool operator==(const TensorType& o) const {
    return dtype == o.dtype && shape == o.shape && layout == o.layout &&
           AreEqual(quantization, o.quantization);
  }
};

// Returns the product of the sizes (1 for a scalar). Errors: MACE_INVALID_MODEL
// if a size is negative, or if the product of those that are not 0 is above
// 2^58, so that even the bytes of a dense tensor, aligned, fit into 62 bits. A
// size of 0 does not excuse the others.
Result<int64_t> CheckedNumElements(const Shape& shape);

// Returns the same without checks, for a shape that shape inference has already
// checked.
int64_t NumElements(const Shape& shape);

// Returns the product of non-negative factors, or the largest int64_t if it
// does not fit. For amounts of work, where the exact value no longer matters
// then.
int64_t SaturatedProduct(std::initializer_list<int64_t> factors);

// Returns the bytes of a tensor, where sizes of 0 count as 1: the result is an
// upper bound of each size. Saturates at the largest int64_t. 0 for an element
// type without bytes (SizeOf).
int64_t BytesOfExtents(const TensorType& type);

// Return the bytes of a densely stored tensor. CheckedBytes has the errors of
// CheckedNumElements; Bytes checks nothing.
Result<int64_t> CheckedBytes(const TensorType& type);
int64_t Bytes(const TensorType& type);

// "[1,224,224,3]" and "i8[1,224,224,3] (scale 0.05, zero point 3)", for
// messages.
std::string ToString(const Shape& shape);
std::string ToString(const TensorType& type);

}  // namespace mace

#endif  // MACE_GRAPH_TENSOR_TYPE_H_
