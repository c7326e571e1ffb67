// Unique on the CPU: sorts the slices, so that equal ones lie side by side.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/unique.h"

#include <algorithm>
#include <numeric>

#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

// Returns -1, 0 or 1 for a < b, a = b or a > b. NaN is greater than all numbers
// and as large as itself: sorting needs a total order.
template <typename T>
int Order(T a, T b) {
  if (a < b) return -1;
  if (a > b) return 1;
  return static_cast<int>(a != a) - static_cast<int>(b != b);
}

// Two slices of x, and the number of elements of each.
struct Pair {
  const void* x;
  int64_t a, b;  // which slices
  int64_t width;
};

template <typename T>
int Compare(const Pair& p) {
  const T* a = static_cast<const T*>(p.x) + p.a * p.width;
  const T* b = static_cast<const T*>(p.x) + p.b * p.width;
  for (int64_t k = 0; k < p.width; ++k) {
    const int c = Order(a[k], b[k]);
    if (c != 0) return c;
  }
  return 0;
}

// NaN equals nothing.
template <typename T>
bool UniqueEqual(const Pair& p) {
  const T* a = static_cast<const T*>(p.x) + p.a * p.width;
  const T* b = static_cast<const T*>(p.x) + p.b * p.width;
  for (int64_t k = 0; k < p.width; ++k) {
    if (!(a[k] == b[k])) return false;
  }
  return true;
}

// All types share the code that sorts, and so its bytes.
struct UniqueKernel final : Kernel {
  int (*compare)(const Pair&) = nullptr;
  bool (*equal)(const Pair&) = nullptr;
  bool sorted = true;
  int64_t n = 0, width = 0;  // slices, and elements of each

  // Four lists: the order of the slices, and the results but for the count.
  int64_t scratch_bytes() const override {
    return SaturatedProduct({4, n, static_cast<int64_t>(sizeof(int64_t))});
  }

  Status Run(const RunArgs& args) override {
    int64_t* order = args.scratch.as<int64_t>();
    int64_t* lists[3] = {order + n, order + 2 * n, order + 3 * n};
    const int64_t count = Find(args.inputs[0].as<const void>(), order, lists);
    for (size_t i = 0; i < std::min<size_t>(args.outputs.size(), 3); ++i) {
      std::copy_n(lists[i], n, args.outputs[i].as<int64_t>());
    }
    if (args.outputs.size() > 3) *args.outputs[3].as<int64_t>() = count;
    return Status();
  }

  // Fills first, inverse and counts; returns how many different slices there
  // are.
  int64_t Find(const void* x, int64_t* order,
               int64_t* const (&lists)[3]) const {
    auto [first, inverse, counts] = lists;
    std::iota(order, order + n, int64_t{0});
    std::sort(order, order + n, [&](int64_t a, int64_t b) {
      const int c = compare({x, a, b, width});
      return c != 0 ? c < 0 : a < b;
    });
    std::fill_n(first, n, 0);
    std::fill_n(counts, n, 0);
    int64_t count = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j == 0 || !equal({x, order[j - 1], order[j], width})) {
        first[count++] = order[j];
      }
      inverse[order[j]] = count - 1;
    }
    if (!sorted) SortByPlace(count, order, first, inverse);
    for (int64_t i = 0; i < n; ++i) ++counts[inverse[i]];
    return count;
  }

  // Numbers the different slices by the order in which they first appear.
  // Overwrites `numbers`.
  void SortByPlace(int64_t count, int64_t* numbers, int64_t* first,
                   int64_t* inverse) const {
    int64_t next = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t old = inverse[i];
      if (first[old] == i) numbers[old] = next++;
      inverse[i] = numbers[old];
    }
    std::sort(first, first + count);
  }
};

template <typename T>
Result<KernelPtr> PrepareUnique(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const UniqueAttrs attrs, ReadAttrs<UniqueAttrs>(node));
  auto kernel = std::make_unique<UniqueKernel>();
  const mace::Shape& shape = node.inputs[0].type.shape;
  kernel->compare = Compare<T>;
  kernel->equal = UniqueEqual<T>;
  kernel->sorted = attrs.sorted;
  kernel->n = shape[0];
  kernel->width = shape[0] == 0 ? 0 : NumElements(shape) / shape[0];
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Unique() {
  return {{DataType::kF32, PrepareUnique<float>},
          {DataType::kI32, PrepareUnique<int32_t>},
          {DataType::kI64, PrepareUnique<int64_t>},
          {DataType::kI16, PrepareUnique<int16_t>},
          {DataType::kI8, PrepareUnique<int8_t>},
          {DataType::kU8, PrepareUnique<uint8_t>},
          {DataType::kBool, PrepareUnique<uint8_t>}};
}

}  // namespace mace::cpu
