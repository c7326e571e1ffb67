// Sizes and printing of tensor types.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/tensor_type.h"

#include <algorithm>
#include <limits>

#include "mace/base/str_cat.h"

namespace mace {
namespace {

// Leaves space to multiply by an element size and to align.
constexpr int64_t kMaxElements = int64_t{1} << 58;

struct DataTypeInfo {
  const char* name;
  size_t bytes;
};
constexpr DataTypeInfo kDataTypes[] = {
    {"none", 0}, {"f32", 4},  {"f16", 2},          {"bf16", 2},
    {"i32", 4},  {"i64", 8},  {"i16", 2},          {"i8", 1},
    {"u8", 1},   {"bool", 1}, {"i8 in blocks", 0}, {"u4 in blocks", 0},
};

}  // namespace

size_t SizeOf(DataType type) {
  return kDataTypes[static_cast<int>(type)].bytes;
}

const char* Name(DataType type) {
  return kDataTypes[static_cast<int>(type)].name;
}

Result<int64_t> CheckedNumElements(const Shape& shape) {
  // A zero extent does not excuse an absurd one beside it.
  int64_t n = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0) {
      return InvalidModel("negative extent in shape ", ToString(shape));
    }
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (extent > kMaxElements / n) {
      return InvalidModel("shape ", ToString(shape), " is too large");
    }
    n *= extent;
  }
  return empty ? 0 : n;
}

int64_t NumElements(const Shape& shape) {
  int64_t n = 1;
  for (int64_t extent : shape) n *= extent;
  return n;
}

int64_t SaturatedProduct(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  bool overflows = false;
  for (int64_t factor : factors) {
    if (factor == 0) return 0;
    overflows = overflows || __builtin_mul_overflow(product, factor, &product);
  }
  return overflows ? std::numeric_limits<int64_t>::max() : product;
}

int64_t BytesOfExtents(const TensorType& type) {
  auto bytes = static_cast<int64_t>(SizeOf(type.dtype));
  for (int64_t extent : type.shape) {
    bytes = SaturatedProduct({bytes, std::max<int64_t>(extent, 1)});
  }
  return bytes;
}

Result<int64_t> CheckedBytes(const TensorType& type) {
  MACE_ASSIGN_OR_RETURN(const int64_t n, CheckedNumElements(type.shape));
  return n * static_cast<int64_t>(SizeOf(type.dtype));
}

int64_t Bytes(const TensorType& type) {
  return NumElements(type.shape) * static_cast<int64_t>(SizeOf(type.dtype));
}

std::string ToString(const Shape& shape) {
  constexpr size_t kMaxShown = 32;  // a list of a file may have any length
  std::string s = "[";
  for (size_t i = 0; i < std::min(shape.size(), kMaxShown); ++i) {
    s += StrCat(i ? "," : "", shape[i]);
  }
  if (shape.size() > kMaxShown) s += StrCat(",... of ", shape.size());
  return StrCat(s, ']');
}

std::string ToString(const TensorType& type) {
  return StrCat(Name(type.dtype), ToString(type.shape),
                ToString(type.quantization));
}

}  // namespace mace
