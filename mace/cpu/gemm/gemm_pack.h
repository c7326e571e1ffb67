// Arranges a matrix as the b operand of a GEMM micro-kernel.
// SPDX-License-Identifier: Apache-2.0
//
//   columns    0 .. nr-1      nr .. 2nr-1    ...  (the last panel zero-padded)
//   packed   | k rows of nr | k rows of nr | ...
//
// The elements have the micro-kernel's type of b, and are grouped as it
// requires (gemm.h).
#ifndef MACE_CPU_GEMM_GEMM_PACK_H_
#define MACE_CPU_GEMM_GEMM_PACK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// A matrix of n columns within a tensor. Row t * channels + c of column j is
// element offset + taps[t] + c * channel_stride + j * column_stride.
struct GemmB {
  int64_t offset = 0;
  int64_t n = 0;
  int64_t column_stride = 0;
  int64_t channels = 0;
  int64_t channel_stride = 0;
  std::vector<int64_t> taps = {0};

  int64_t k() const { return static_cast<int64_t>(taps.size()) * channels; }
};

// The properties of a GEMM that decide on its micro-kernel.
struct GemmSize {
  int64_t rows = 0;
  int64_t n = 0;          // columns
  int64_t row_bytes = 1;  // between rows of a when they are read in place
};

// Returns whether the rows of a tile compete for one set of the first-level
// cache, and often enough for copying them to pay.
bool RowsConflict(const GemmUkernel& kernel, int64_t row_bytes, int64_t n,
                  const Blocks& blocks);

// Returns the micro-kernel for a product of floats.
const GemmUkernel& ChooseGemmF32(GemmSize size, const CpuContext& context);

// Returns the micro-kernel that multiplies rows of floats by `b`: in a 16-bit
// type if b is stored in it and the CPU multiplies it faster, otherwise in
// float.
const GemmUkernel& ChooseGemm(const Operand& b, GemmSize size,
                              const CpuContext& context);

// Returns the micro-kernel that multiplies quantized rows by the quantized
// filter `b`.
const GemmUkernel& ChooseGemmQ8(const Operand& b, const CpuContext& context);

// Returns the number of elements of a packed [k, n] matrix.
int64_t PackedElements(const GemmUkernel& kernel, int64_t n, int64_t k);

// Packs panel `panel` of `b` for a micro-kernel of floats.
void PackPanel(const GemmUkernel& kernel, const GemmB& b, const float* data,
               int64_t panel, float* packed);

// Packs the only panel of `b`, whose elements are int8, for a micro-kernel of
// quantized values.
void PackPanelQ8(const GemmUkernel& kernel, const GemmB& b, const void* data,
                 void* packed);

// Packs the matrix `b` of tensor `data`, whose elements have the micro-kernel's
// type of b. The threads share the panels.
void PackB(const GemmUkernel& kernel, const GemmB& b, const void* data,
           void* packed, ThreadPool* threads);

// The packed b operands of a kernel. A constant tensor is packed once, another
// one at the start of each Run.
class PackedB {
 public:
  PackedB() = default;  // no matrices
  // `how` names the layout without the micro-kernel, for sharing packed
  // weights. Errors: MACE_OUT_OF_RESOURCES.
  static Result<PackedB> Create(const Operand& operand, const std::string& how,
                                const GemmUkernel& kernel,
                                std::vector<GemmB> matrices,
                                CpuContext& context);

  // Returns the offset of the i-th packed matrix, in elements.
  int64_t offset(size_t i) const { return offsets_[i]; }
  int64_t scratch_bytes() const;  // 0 for a constant

  // Returns the packed matrices. Packs the tensor's elements, `data`, into
  // `scratch` unless the tensor is a constant. REQUIRES: made by Create.
  const void* Get(const void* data, void* scratch) const;

 private:
  void Pack(const void* data, void* packed) const;
  int64_t bytes() const;

  const GemmUkernel* kernel_ = nullptr;
  ThreadPool* threads_ = nullptr;
  std::vector<GemmB> matrices_;
  std::vector<int64_t> offsets_ = {0};  // followed by the total
  std::shared_ptr<const void> constant_;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_GEMM_PACK_H_
