// StateGemm: the products of a state with recurrent weights, one step after
// the other.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_RECURRENT_STATE_GEMM_H_
#define MACE_CPU_RECURRENT_STATE_GEMM_H_

#include <cstdint>
#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// c[i] = a[i] * matrix + bias + addend[i] for `rows` rows. Strides count
// floats. The addend is null, or c itself, or disjoint from c.
struct StateRows {
  int64_t rows = 0;
  const float* a = nullptr;
  int64_t a_stride = 0;
  const float* bias = nullptr;  // null: zeros
  const float* addend = nullptr;
  float* c = nullptr;
  int64_t c_stride = 0;  // also of the addend
};

// The matrices of an operand [directions, n, k], which a product reads as
// transposed. Each direction's columns may be cut into parts that are
// multiplied at different times (the gates of a Gru). Constants are packed
// once; other operands in each call of Get. Immutable after Create.
class StateGemm {
 public:
  StateGemm() = default;  // no matrices

  // `parts` are the numbers of columns of the parts, in order. `how` names the
  // use, for sharing packed weights. Errors: MACE_OUT_OF_RESOURCES.
  static Result<StateGemm> Create(const Operand& operand, const char* how,
                                  const std::vector<int64_t>& parts,
                                  CpuContext& context);

  int64_t scratch_bytes() const { return packed_.scratch_bytes(); }

  // Returns what Multiply takes as `matrices`; `data` is the operand. `scratch`
  // has scratch_bytes(); it and `data` must stay until the last Multiply.
  const void* Get(const void* data, void* scratch) const;

  // Multiplies by part `part` of direction `direction`. With `threads`, they
  // share the columns if there is enough to do: every result is the same with
  // any number of threads. Null: on the calling thread.
  void Multiply(const void* matrices, int64_t direction, int64_t part,
                const StateRows& rows, ThreadPool* threads) const;

 private:
  // Computes the columns of panels [first, end) of kernel_->nr each;
  // MultiplyPlainly all columns by definition.
  void MultiplyPanels(const float* matrix, int64_t n, const StateRows& rows,
                      int64_t first, int64_t end) const;
  void MultiplyPlainly(const float* matrix, int64_t n,
                       const StateRows& rows) const;

  const GemmUkernel* kernel_ = nullptr;  // null: the reference
  PackedB packed_;
  std::vector<GemmB> matrices_;
  int64_t num_parts_ = 1;
  int64_t k_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_RECURRENT_STATE_GEMM_H_
