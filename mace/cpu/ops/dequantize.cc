// Dequantize on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/quantized/q16.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTile = 1 << 13;

template <typename T>
KernelPtr Make(const Node& node, CpuContext& context) {
  const TensorType& x = node.inputs[0].type;
  const float scale = x.quantization->scale();
  const int32_t zero = x.quantization->zero_point();
  const int64_t n = NumElements(x.shape);
  KernelFacts facts;
  facts.variant = "dequantize_q8";
  return MakeKernel(
      [=, threads = context.threads](const RunArgs& args) {
        const T* from = args.inputs[0].as<const T>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(n, kTile, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) {
            to[i] = scale * static_cast<float>(from[i] - zero);
          }
        });
      },
      facts);
}

Result<KernelPtr> Prepare(const Node& node, CpuContext& context) {
  if (node.inputs[0].type.dtype == DataType::kI16) {
    return Make<int16_t>(node, context);
  }
  return node.inputs[0].type.dtype == DataType::kU8
             ? Make<uint8_t>(node, context)
             : Make<int8_t>(node, context);
}

}  // namespace

CpuKernelDefs Dequantize() { return WithQ16(WithQ8({}, Prepare), Prepare); }

}  // namespace mace::cpu
