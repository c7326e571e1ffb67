// DequantizedRows: rows of a weight stored as int8 or int4, as floats.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_DEQUANTIZE_ROWS_H_
#define MACE_CPU_QUANTIZED_DEQUANTIZE_ROWS_H_

#include "mace/base/cpu_features.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"
#include "mace/graph/stored_weight.h"

namespace mace::cpu {

// A view of the weight: [rows, depth], each row quantized along its depth
// (graph/stored_weight.h). Immutable; threads share it.
class DequantizedRows {
 public:
  // REQUIRES: HasQuantizedRows(weight); the weight outlives the object.
  DequantizedRows(const Operand& weight, CpuFeatures features);

  const QuantizedRows& rows() const { return rows_; }
  // Returns whether micro-kernels read such rows: int8 with one scale, int4 in
  // blocks without zero points. Run widens others by plain loops.
  bool HasMicroKernel() const {
    return rows_.zeros == nullptr && rows_.has_blocks == (rows_.bits == 4);
  }
  // Names the micro-kernel of this CPU, even if Run does not use it.
  const char* variant() const { return micro_->name; }

  // Floats of scratch that Run needs, for the scales of one row.
  int64_t scratch() const { return rows_.row_scales; }

  // Writes the floats of rows [begin, end), dense, to `to`. REQUIRES: the rows
  // exist; `scratch` has scratch() floats.
  void Run(int64_t begin, int64_t end, float* scratch, float* to) const;

 private:
  QuantizedRows rows_;
  const DequantizeRowsQ8* micro_;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_DEQUANTIZE_ROWS_H_
