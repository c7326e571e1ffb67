// Expanding rows with the best micro-kernel of the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/dequantize_rows.h"

#include "mace/cpu/common/choose.h"

namespace mace::cpu {

DequantizedRows::DequantizedRows(const Operand& weight, CpuFeatures features)
    : rows_(weight), micro_(&ChooseRow(kDequantizeRowsQ8, features)) {}

void DequantizedRows::Run(int64_t begin, int64_t end, float* scratch,
                          float* to) const {
  DequantizeRowsQ8Fn* fn = rows_.bits == 4 ? micro_->bits4 : micro_->bits8;
  for (int64_t r = begin; r < end; ++r, to += rows_.depth) {
    if (!HasMicroKernel()) {
      rows_.Widen(r, to);
      continue;
    }
    rows_.ScalesOf(r, scratch);
    fn({static_cast<size_t>(rows_.depth), rows_.values + r * rows_.row_bytes,
        scratch, to});
  }
}

}  // namespace mace::cpu
