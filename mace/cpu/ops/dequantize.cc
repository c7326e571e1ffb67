// Dequantize on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/str_cat.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kDequantizeTile = 1 << 13;

Result<KernelPtr> DequantizeFrom16Bits(const Node& node, CpuContext& context) {
  const TensorType& x = node.inputs[0].type;
  const float scale = x.quantization->scale();
  const int32_t zero = x.quantization->zero_point();
  const int64_t n = NumElements(x.shape);
  KernelProperties properties;
  properties.variant = "dequantize_q16";
  return MakeKernel(
      [=, threads = context.threads](const RunArgs& args) {
        const int16_t* from = args.inputs[0].as<const int16_t>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(n, kDequantizeTile, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) {
            to[i] = scale * static_cast<float>(from[i] - zero);
          }
        });
      },
      properties);
}

Result<KernelPtr> From8Bits(const Node& node, CpuContext& context) {
  const TensorType& x = node.inputs[0].type;
  const QuantizeQ8& micro = ChooseRow(kQuantizeQ8, context.features);
  DequantizeQ8Args all = {};
  all.n = static_cast<size_t>(NumElements(x.shape));
  all.is_signed = x.dtype == DataType::kI8;
  all.scale = x.quantization->scale();
  all.zero_point = x.quantization->zero_point();
  KernelProperties properties;
  properties.variant = StrCat("de", micro.name);
  return MakeKernel(
      [all, fn = micro.dequantize,
       threads = context.threads](const RunArgs& args) {
        threads->ParallelFor(
            all.n, kDequantizeTile, [&](size_t begin, size_t end) {
              DequantizeQ8Args part = all;
              part.n = end - begin;
              part.quantized = args.inputs[0].as<const uint8_t>() + begin;
              part.y = args.outputs[0].as<float>() + begin;
              fn(part);
            });
      },
      properties);
}

}  // namespace

CpuKernelDefs Dequantize() {
  return WithQ16(WithQ8({}, From8Bits), DequantizeFrom16Bits);
}

}  // namespace mace::cpu
