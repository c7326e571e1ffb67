// Clip on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/clip.h"

#include "mace/cpu/common/convert.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/lut_q8.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// Converts a limit, which is a float attribute, to T.
template <typename T>
T LimitOf(float limit) {
  if constexpr (std::is_floating_point_v<T>) {
    return limit;
  } else {
    return ToInteger<T>(limit);
  }
}

template <typename T>
T Limit(const RunArgs& args, size_t i, float otherwise) {
  const T* const limit =
      i < args.inputs.size() ? args.inputs[i].as<const T>() : nullptr;
  return limit == nullptr ? LimitOf<T>(otherwise) : *limit;
}

// Clips elements [begin, end).
template <typename T>
void ClipElements(const RunArgs& args, const ClipAttrs& attrs, size_t begin,
                  size_t end) {
  const T* x = args.inputs[0].as<const T>();
  T* y = args.outputs[0].as<T>();
  const T lo = Limit<T>(args, 1, attrs.min), hi = Limit<T>(args, 2, attrs.max);
  for (size_t i = begin; i < end; ++i) {
    // NaN stays NaN.
    const T v = x[i] < lo ? lo : x[i];
    y[i] = v > hi ? hi : v;
  }
}

using ClipFn = void(const RunArgs& args, const ClipAttrs& attrs, size_t begin,
                    size_t end);

ClipFn* ClipOf(DataType dtype) {
  switch (dtype) {
    case DataType::kI32:
      return ClipElements<int32_t>;
    case DataType::kI64:
      return ClipElements<int64_t>;
    case DataType::kI16:
      return ClipElements<int16_t>;
    case DataType::kI8:
      return ClipElements<int8_t>;
    case DataType::kU8:
      return ClipElements<uint8_t>;
    default:
      return ClipElements<float>;
  }
}

Result<KernelPtr> PrepareClip(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ClipAttrs attrs, ReadAttrs<ClipAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  KernelProperties properties;
  properties.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, attrs, clip = ClipOf(x.dtype),
       n = NumElements(x.shape)](const RunArgs& args) {
        threads->ParallelFor(n, 1 << 14, [&](size_t begin, size_t end) {
          clip(args, attrs, begin, end);
        });
      },
      properties);
}

// Prepares a Clip node whose input is quantized i8 or u8, as TFLite's
// RELU_N1_TO_1. Errors: MACE_UNSUPPORTED for limits that are inputs.
Result<KernelPtr> PrepareClipQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ClipAttrs attrs, ReadAttrs<ClipAttrs>(node));
  if (node.has_input(1) || node.has_input(2)) {
    return Unsupported(Label(node), ": of quantized tensors the CPU computes ",
                       "Clip with limits that are attributes");
  }
  const Quantization& x = *node.inputs[0].type.quantization;
  const Quantization& y = *node.outputs[0].quantization;
  const QuantizedRange range = RangeOf(node.outputs[0].dtype);
  const QuantizedRange limits = {QuantizeFloat(attrs.min, y, range),
                                 QuantizeFloat(attrs.max, y, range)};
  const FixedFactor factor = ToFixed(x.scale() / y.scale());
  return MakeLut(
      node, context, TableOf(node, [&](int32_t q) {
        return limits.Clamp(Scale(q - x.zero_point(), factor) + y.zero_point());
      }));
}

}  // namespace

CpuKernelDefs Clip() {
  return WithQ8({{DataType::kF32, PrepareClip},
                 {DataType::kI32, PrepareClip},
                 {DataType::kI64, PrepareClip},
                 {DataType::kI16, PrepareClip},
                 {DataType::kI8, PrepareClip},
                 {DataType::kU8, PrepareClip}},
                PrepareClipQ8);
}

}  // namespace mace::cpu
