// Clip on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/clip.h"

#include <limits>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/unary_q8.h"

namespace mace::cpu {
namespace {

// Converts a limit, which is a float attribute, to T.
template <typename T>
T LimitOf(float limit) {
  if constexpr (std::is_floating_point_v<T>) {
    return limit;
  } else {
    constexpr T lo = std::numeric_limits<T>::min();
    constexpr T hi = std::numeric_limits<T>::max();
    if (limit <= static_cast<float>(lo)) return lo;
    if (limit >= static_cast<float>(hi)) return hi;
    return static_cast<T>(limit);
  }
}

template <typename T>
struct ClipKernel final : Kernel {
  ThreadPool* threads = nullptr;
  int64_t n = 0;
  T min = 0, max = 0;

  std::vector<Overlap> overlaps() const override { return {{0, 0}}; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* y = args.outputs[0].as<T>();
    const T lo = Limit(args, 1, min), hi = Limit(args, 2, max);
    threads->ParallelFor(n, 1 << 14, [=](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        // NaN stays NaN.
        const T v = x[i] < lo ? lo : x[i];
        y[i] = v > hi ? hi : v;
      }
    });
    return Status();
  }

  static T Limit(const RunArgs& args, size_t i, T otherwise) {
    if (i >= args.inputs.size()) return otherwise;
    const T* limit = args.inputs[i].as<const T>();
    return limit == nullptr ? otherwise : *limit;
  }
};

template <typename T>
Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ClipAttrs attrs, ReadAttrs<ClipAttrs>(node));
  auto kernel = std::make_unique<ClipKernel<T>>();
  kernel->threads = context.threads;
  kernel->n = NumElements(node.inputs[0].type.shape);
  kernel->min = LimitOf<T>(attrs.min);
  kernel->max = LimitOf<T>(attrs.max);
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Clip() {
  return WithQ8({{DataType::kF32, Prepare<float>},
                 {DataType::kI32, Prepare<int32_t>},
                 {DataType::kI64, Prepare<int64_t>},
                 {DataType::kI16, Prepare<int16_t>},
                 {DataType::kI8, Prepare<int8_t>},
                 {DataType::kU8, Prepare<uint8_t>}},
                PrepareClipQ8);
}

}  // namespace mace::cpu
