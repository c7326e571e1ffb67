// Pooling on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/pooling.h"

#include <algorithm>
#include <cmath>

#include "mace/base/cpu_rows.h"
#include "mace/base/fp16.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/fp16_weights.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/pooling/pool_lines.h"
#include "mace/cpu/pooling/pooling_q8.h"
#include "mace/cpu/reference/pooling.h"
#include "mace/cpu/ukernels/pool/pool_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTasksPerThread = 4;

template <typename T>
PoolFn<T>* FunctionOf(const PoolRow<T>& row, PoolingType type) {
  switch (type) {
    case PoolingType::kMax:
      return row.max;
    case PoolingType::kAverage:
      return row.mean;
    case PoolingType::kL2:
      return row.l2;
  }
  return row.max;
}

// Returns whether one call of a micro-kernel can pool windows q and q + 1.
bool ArePair(const PoolShape& s, const Taps& rows, int64_t p, int64_t q) {
  const Window& w = s.window.w;
  return rows.count == 3 && w.kernel == 3 && w.dilation == 1 && w.stride == 2 &&
         q + 1 < w.out && TapsInside(w, q).count == 3 &&
         TapsInside(w, q + 1).count == 3 &&
         (s.type == PoolingType::kMax ||
          PoolCount(s, p, q) == PoolCount(s, p, q + 1));
}

// Returns the activation of `value`, which is the output of a window without
// inputs.
float Activated(const ActivationFunction& act, double value, float) {
  return static_cast<float>(ReferenceActivation(act, value));
}
[[maybe_unused]] uint16_t Activated(const ActivationFunction& act, double value,
                                    uint16_t) {
  return ToFp16(Activated(act, value, 0.f));
}

// Computes line p of the image at `y`.
template <typename T>
void PoolLine(const PoolShape& s, const ActivationFunction& act,
              const Activator& activator, PoolFn<T>* fn, const T* image,
              int64_t p, T* y) {
  const Window &h = s.window.h, &w = s.window.w;
  const Taps rows = TapsInside(h, p);
  PoolWindow<T> window;
  window.channels = s.channels;
  window.rows = rows.count;
  window.row_stride = h.dilation * w.in * s.channels;
  window.column_stride = w.dilation * s.channels;
  window.scale = 1;
  window.lower = act.lower();
  window.upper = act.upper();
  window.y_step = s.channels;
  for (int64_t q = 0, outputs = 1; q < w.out;
       q += outputs, y += outputs * s.channels) {
    outputs = ArePair(s, rows, p, q) ? 2 : 1;
    const Taps columns = TapsInside(w, q);
    if (rows.count == 0 || columns.count == 0) {
      const bool is_max = s.type == PoolingType::kMax;
      const double nothing = is_max ? -INFINITY : 0;
      std::fill(y, y + s.channels, Activated(act, nothing, T()));
      continue;
    }
    window.outputs = outputs;
    window.columns = columns.count;
    window.x = image + (rows.start * w.in + columns.start) * s.channels;
    window.y = y;
    if (s.type != PoolingType::kMax) {
      window.scale = 1.f / static_cast<float>(PoolCount(s, p, q));
    }
    fn(window);
    if (!act.is_clamp()) activator.Apply(y, outputs * s.channels, y);
  }
}

// T is float, or uint16_t for fp16.
template <typename T>
KernelPtr MakePooling(const PoolShape& s, const ActivationFunction& act,
                      const PoolRow<T>& row, CpuContext& context) {
  PoolFn<T>* fn = FunctionOf(row, s.type);
  const Activator activator(act, context.features);
  ThreadPool* threads = context.threads;
  KernelProperties properties;
  properties.variant = row.name;
  return MakeKernel(
      [s, act, activator, fn, threads](const RunArgs& args) {
        const Window &h = s.window.h, &w = s.window.w;
        const int64_t lines = s.batch * h.out;
        const size_t tile = std::max<int64_t>(
            lines / (threads->num_threads() * kTasksPerThread), 1);
        threads->ParallelFor(lines, tile, [&](size_t begin, size_t end) {
          for (int64_t i = begin; i < static_cast<int64_t>(end); ++i) {
            PoolLine<T>(s, act, activator, fn,
                        args.inputs[0].as<const T>() +
                            i / h.out * h.in * w.in * s.channels,
                        i % h.out,
                        args.outputs[0].as<T>() + i * w.out * s.channels);
          }
        });
      },
      properties);
}

Result<KernelPtr> PreparePooling(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const PoolingAttrs attrs,
                        ReadAttrs<PoolingAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  PoolShape s;
  s.type = static_cast<PoolingType>(attrs.pooling_type);
  s.count_include_pad = attrs.count_include_pad;
  MACE_ASSIGN_OR_RETURN(s.window, PoolingWindow(node, attrs));
  s.batch = node.inputs[0].type.shape[0];
  s.channels = node.inputs[0].type.shape[3];
  if constexpr (kHas16BitKernels) {
    if (node.inputs[0].type.dtype == DataType::kF16) {
      return MakePooling(s, act, ChooseRow(kPoolF16, context.features),
                         context);
    }
  }
  if (!context.reference) {
    const PoolF32& row = ChooseRow(kPoolF32, context.features);
    return LinesPay(s, row) ? MakePoolLines(s, act, row, context)
                            : MakePooling(s, act, row, context);
  }
  return MakeKernel([s, act](const RunArgs& args) {
    ReferencePooling(s, act, args.inputs[0].as<const float>(),
                     args.outputs[0].as<float>());
  });
}

bool PoolingComputesFp16(const Node& node, const CpuContext&) {
  return ReadsActivationsOnly(node);
}

}  // namespace

CpuKernelDefs Pooling() {
  return WithFp16(
      WithQ16(WithQ8({{DataType::kF32, PreparePooling}}, PreparePoolingQ8),
              PreparePoolingQ8),
      {DataType::kF16, PreparePooling, -1, PoolingComputesFp16});
}

}  // namespace mace::cpu
