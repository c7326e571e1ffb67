// RotaryEmbedding on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/rotary_embedding.h"

#include <algorithm>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

constexpr int64_t kElements = 4096;  // at least, of a task

// Turns elements 2 i and 2 i + 1 of x, by angles `step` apart.
void TurnPairs(const float* x, const float* cos, const float* sin, int64_t step,
               int64_t pairs, float* y) {
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t first = step * i, second = first + step - 1;
    const float a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * cos[first] - b * sin[first];
    y[2 * i + 1] = b * cos[second] + a * sin[second];
  }
}

// One of the tensors.
struct Turned {
  RotaryEmbeddingShapes s;
  bool interleaved;
  const RowF32Set* set;

  void Vector(const float* x, const float* cos, const float* sin,
              float* y) const {
    const int64_t half = s.size / 2;
    if (interleaved) {
      TurnPairs(x, cos, sin, s.angles == s.size ? 2 : 1, half, y);
    } else {
      set->turn({static_cast<size_t>(half), x, cos, sin,
                 static_cast<ptrdiff_t>(s.angles == s.size ? half : 0), y});
    }
    if (x != y) std::copy(x + s.size, x + s.x.depth, y + s.size);
  }

  // Turns the vectors of row `at` of all rows of all images.
  void Row(const float* cos, const float* sin, const float* x, float* y,
           int64_t at) const {
    const int64_t n = at / s.x.rows, row = at % s.x.rows;
    const int64_t begin = n * s.x.batch_stride + row * s.x.row_stride;
    const float* of_cos = cos + n * s.cos[0] + row * s.cos[2];
    const float* of_sin = sin + n * s.sin[0] + row * s.sin[2];
    for (int64_t head = 0; head < s.x.heads; ++head) {
      const int64_t place = begin + head * s.x.head_stride;
      Vector(x + place, of_cos + head * s.cos[1], of_sin + head * s.sin[1],
             y + place);
    }
  }
};

Result<KernelPtr> PrepareRotaryEmbeddingF32(const Node& node,
                                            CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const RotaryEmbeddingAttrs attrs,
                        ReadAttrs<RotaryEmbeddingAttrs>(node));
  std::vector<Turned> tensors;
  KernelProperties properties;
  properties.overlaps = {{2, 0}};  // of output 0 and the first tensor
  for (size_t i = 2; i < node.inputs.size(); ++i) {
    MACE_ASSIGN_OR_RETURN(const RotaryEmbeddingShapes s,
                          ResolveRotaryEmbedding(node, attrs, i));
    tensors.push_back(
        {s, attrs.interleaved, ChooseRow(kRowF32, context.features).set});
  }
  return MakeKernel(
      [tensors, threads = context.threads](const RunArgs& args) {
        const float* cos = args.inputs[0].as<const float>();
        const float* sin = args.inputs[1].as<const float>();
        for (size_t i = 0; i < tensors.size(); ++i) {
          const Turned& t = tensors[i];
          if (t.s.x.heads == 0 || t.s.x.depth == 0) continue;
          const float* x = args.inputs[i + 2].as<const float>();
          float* y = args.outputs[i].as<float>();
          const int64_t row = std::max<int64_t>(t.s.x.heads * t.s.x.depth, 1);
          threads->ParallelFor(
              t.s.x.batch * t.s.x.rows, std::max<int64_t>(kElements / row, 1),
              [=, &t](size_t begin, size_t end) {
                for (size_t k = begin; k < end; ++k) {
                  t.Row(cos, sin, x, y, static_cast<int64_t>(k));
                }
              });
        }
      },
      properties);
}

}  // namespace

CpuKernelDefs RotaryEmbedding() {
  return {{DataType::kF32, PrepareRotaryEmbeddingF32}};
}

}  // namespace mace::cpu
