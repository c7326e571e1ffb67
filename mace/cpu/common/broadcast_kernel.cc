// The loop over the rows of inputs that broadcast.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/broadcast_kernel.h"

#include <algorithm>
#include <utility>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/broadcast_loop.h"

namespace mace::cpu {

KernelPtr MakeBroadcastKernel(const Node& node, const BroadcastSpec& spec,
                              ThreadPool* threads,
                              KernelProperties properties) {
  std::vector<Shape> shapes;
  std::vector<int64_t> bytes;  // of an element
  for (const size_t input : spec.inputs) {
    shapes.push_back(node.inputs[input].type.shape);
    bytes.push_back(
        static_cast<int64_t>(SizeOf(node.inputs[input].type.dtype)));
  }
  // ForEachRow takes as many operands as there may be.
  while (shapes.size() < 3) shapes.emplace_back();
  const auto run = [spec, threads, bytes,
                    plan = PlanBroadcast(node.outputs[0].shape, shapes),
                    y_bytes = static_cast<int64_t>(
                        SizeOf(node.outputs[0].dtype))](const RunArgs& args) {
    const int64_t n = plan.extents.back();
    const int64_t tile = 16384 / std::max<int64_t>(1, n) + 1;
    threads->ParallelFor(NumRows(plan), tile, [&](size_t begin, size_t end) {
      BroadcastRow row;
      row.n = n;
      row.mode = spec.mode;
      ForEachRow<3>(plan, begin, end, [&](int64_t r, const auto& at) {
        for (size_t i = 0; i < bytes.size(); ++i) {
          row.x[i] =
              args.inputs[spec.inputs[i]].as<const char>() + at[i] * bytes[i];
          row.step[i] = plan.strides[i].back();
        }
        row.y = args.outputs[0].as<char>() + r * n * y_bytes;
        spec.row(row);
      });
    });
  };
  return MakeKernel(run, std::move(properties));
}

}  // namespace mace::cpu
