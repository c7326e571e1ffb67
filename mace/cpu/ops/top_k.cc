// TopK on the CPU: a partial sort of the indices of each row.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/top_k.h"

#include <algorithm>
#include <numeric>

#include "mace/cpu/kernel_table.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// Whether a is less than b, where a NaN is greater than all numbers: a total
// order, without which sorting would be undefined.
template <typename T>
bool Less(T a, T b) {
  return a < b || (b != b && a == a);
}

// x viewed as [outer, n, inner].
template <typename T>
struct TopKKernel final : Kernel {
  int64_t outer = 1, n = 1, inner = 1, k = 1;
  bool largest = true;

  int64_t scratch_bytes() const override {
    return n * static_cast<int64_t>(sizeof(int64_t));
  }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* values = args.outputs[0].as<T>();
    int64_t* indices =
        args.outputs.size() > 1 ? args.outputs[1].as<int64_t>() : nullptr;
    int64_t* order = args.scratch.as<int64_t>();
    for (int64_t row = 0; row < outer * inner; ++row) {
      const int64_t o = row / inner, i = row % inner;
      const T* from = x + o * n * inner + i;
      Sort(from, order);
      for (int64_t j = 0; j < k; ++j) {
        const int64_t to = (o * k + j) * inner + i;
        values[to] = from[order[j] * inner];
        if (indices != nullptr) indices[to] = order[j];
      }
    }
    return Status();
  }

  void Sort(const T* x, int64_t* order) const {
    std::iota(order, order + n, int64_t{0});
    std::partial_sort(order, order + k, order + n, [&](int64_t a, int64_t b) {
      const T va = x[a * inner], vb = x[b * inner];
      if (Less(va, vb)) return !largest;
      if (Less(vb, va)) return largest;
      return a < b;
    });
  }
};

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const TopKAttrs attrs, ReadAttrs<TopKAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  auto kernel = std::make_unique<TopKKernel<T>>();
  kernel->n = x[axis];
  kernel->k = node.outputs[0].shape[axis];
  kernel->outer = NumElements(mace::Shape(x.begin(), x.begin() + axis));
  kernel->inner = NumElements(mace::Shape(x.begin() + axis + 1, x.end()));
  kernel->largest = attrs.largest;
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs TopK() {
  return {{DataType::kF32, Prepare<float>},
          {DataType::kI32, Prepare<int32_t>},
          {DataType::kI64, Prepare<int64_t>}};
}

}  // namespace mace::cpu
