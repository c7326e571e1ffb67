// Choosing and calling the micro-kernel of sums.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/add_q8.h"

#include <algorithm>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/ukernels/add_q8/add_q8_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kAddQ8Tile = 8192;  // elements of a task

// Of factors below 2^-30, which give 0 for all that is summed here, and others.
AddQ8Factor FactorOf(FixedFactor f) {
  if (f.exponent < -30) return {0, 0};
  return {f.mantissa, -f.exponent};
}

}  // namespace

KernelPtr MakeAddQ8(const Node& node, bool subtract, QuantizedRange range,
                    CpuContext& context) {
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  const TensorType& y = node.outputs[0];
  const double unit =
      2 * double{std::max(a.quantization->scale(), b.quantization->scale())};
  const FixedFactor factor = ToFixed(
      unit / (double{1 << kAddQ8Bits} * double{y.quantization->scale()}));
  if (factor.exponent > 0 || a.shape != y.shape || b.shape != y.shape) {
    return nullptr;
  }
  const auto operand = [&](const TensorType& x) {
    return AddQ8Args::Operand{
        nullptr, x.quantization->zero_point(),
        FactorOf(ToFixed(x.quantization->scale() / unit))};
  };
  const AddQ8& micro = ChooseRow(kAddQ8, context.features);
  const AddQ8Args all = {static_cast<size_t>(NumElements(y.shape)),
                         operand(a),
                         operand(b),
                         subtract,
                         y.dtype == DataType::kU8,
                         FactorOf(factor),
                         y.quantization->zero_point(),
                         range.least,
                         range.most,
                         nullptr};
  KernelProperties properties;
  properties.variant = micro.name;
  properties.overlaps = {{0, 0}, {1, 0}};
  const auto run = [all, fn = micro.fn,
                    threads = context.threads](const RunArgs& args) {
    threads->ParallelFor(all.n, kAddQ8Tile, [&](size_t begin, size_t end) {
      AddQ8Args part = all;
      part.n = end - begin;
      part.a.quantized = args.inputs[0].as<const uint8_t>() + begin;
      part.b.quantized = args.inputs[1].as<const uint8_t>() + begin;
      part.y = args.outputs[0].as<uint8_t>() + begin;
      fn(part);
    });
  };
  return MakeKernel(run, properties);
}

}  // namespace mace::cpu
