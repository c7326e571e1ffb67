// Arranges weights stored as int8 or int4 for micro-kernels that multiply
// quantized values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_PACK_BLOCKS_H_
#define MACE_CPU_GEMM_PACK_BLOCKS_H_

#include <cstdint>

#include "mace/base/thread_pool.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks_table.h"
#include "mace/graph/stored_weight.h"

namespace mace::cpu {

// Weights in blocks, which kGemmBlocks multiplies.

// Returns the types of a product by these rows. REQUIRES: rows.has_blocks.
GemmTypes TypesOfBlocks(const QuantizedRows& rows);
// Returns the bytes of a panel of kernel.nr columns, of depth rows.depth.
int64_t BlockPanelBytes(const GemmUkernel& kernel, const QuantizedRows& rows);
// Packs all panels, which the threads share; columns of the last panel that do
// not exist are zeros.
// panel    | block 0 | block 1 | ...       rows.row_scales blocks of k
// block    nr scales | nr zero points, if any | values of nr columns, in
//          (fp16)      (fp16)                   groups of packing.group bytes
void PackBlocks(const GemmUkernel& kernel, const QuantizedRows& rows,
                ThreadPool* threads, void* packed);

// Rows of int8, which kGemm multiplies as quantized values. A panel of nr
// columns is followed by nr sums at which its dots start, and nr scales.
struct Int8Panel {
  Int8Panel(const GemmUkernel& kernel, int64_t depth);

  int64_t start_at = 0, scales_at = 0, bytes = 0;
  int64_t k = 0;  // the depth as the micro-kernel pads it
};
void PackInt8Rows(const GemmUkernel& kernel, const QuantizedRows& rows,
                  ThreadPool* threads, void* packed);

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_PACK_BLOCKS_H_
