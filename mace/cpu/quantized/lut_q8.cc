// Looking values up in a table.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/lut_q8.h"

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/ukernels/lut_q8/lut_q8_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kLutQ8Tile = 1 << 14;

}  // namespace

KernelPtr MakeLut(const Node& node, CpuContext& context,
                  const std::array<uint8_t, 256>& table) {
  KernelProperties properties;
  const LutQ8& micro = ChooseRow(kLutQ8, context.features);
  properties.variant = micro.name;
  properties.overlaps = {{0, 0}};
  const int64_t n = NumElements(node.outputs[0].shape);
  return MakeKernel(
      [n, table, fn = micro.fn,
       threads = context.threads](const RunArgs& args) {
        const auto* x = args.inputs[0].as<const uint8_t>();
        auto* y = args.outputs[0].as<uint8_t>();
        threads->ParallelFor(n, kLutQ8Tile, [&](size_t begin, size_t end) {
          fn({end - begin, table.data(), x + begin, y + begin});
        });
      },
      properties);
}

}  // namespace mace::cpu
