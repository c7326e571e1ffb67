// TopK on the CPU: a partial sort of the indices of each row.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/top_k.h"

#include <algorithm>
#include <numeric>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

// Returns whether a < b, where NaN is greater than all numbers. Sorting needs
// such a total order to be defined.
template <typename T>
bool TopKLess(T a, T b) {
  return a < b || (b != b && a == a);
}

template <typename T>
struct TopKKernel final : Kernel {
  AxisLines x_lines, y_lines;
  bool largest = true;

  int64_t scratch_bytes() const override {
    return x_lines.n * static_cast<int64_t>(sizeof(int64_t));
  }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* values = args.outputs[0].as<T>();
    int64_t* indices =
        args.outputs.size() > 1 ? args.outputs[1].as<int64_t>() : nullptr;
    int64_t* order = args.scratch.as<int64_t>();
    for (int64_t line = 0; line < x_lines.count(); ++line) {
      const T* from = x + x_lines.Start(line);
      Sort(from, order);
      for (int64_t j = 0; j < y_lines.n; ++j) {
        const int64_t to = y_lines.Start(line) + j * y_lines.inner;
        values[to] = from[order[j] * x_lines.inner];
        if (indices != nullptr) indices[to] = order[j];
      }
    }
    return Status();
  }

  void Sort(const T* x, int64_t* order) const {
    const int64_t n = x_lines.n, inner = x_lines.inner;
    std::iota(order, order + n, int64_t{0});
    std::partial_sort(order, order + y_lines.n, order + n,
                      [&](int64_t a, int64_t b) {
                        const T va = x[a * inner], vb = x[b * inner];
                        if (TopKLess(va, vb)) return !largest;
                        if (TopKLess(vb, va)) return largest;
                        return a < b;
                      });
  }
};

template <typename T>
Result<KernelPtr> PrepareTopK(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const TopKAttrs attrs, ReadAttrs<TopKAttrs>(node));
  auto kernel = std::make_unique<TopKKernel<T>>();
  MACE_ASSIGN_OR_RETURN(
      kernel->x_lines, LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  MACE_ASSIGN_OR_RETURN(kernel->y_lines,
                        LinesAlong(node, attrs.axis, node.outputs[0].shape));
  kernel->largest = attrs.largest;
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs TopK() {
  return {{DataType::kF32, PrepareTopK<float>},
          {DataType::kI32, PrepareTopK<int32_t>},
          {DataType::kI64, PrepareTopK<int64_t>}};
}

}  // namespace mace::cpu
