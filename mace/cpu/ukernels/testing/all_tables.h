// All tables of micro-kernels, for code that needs every row.
// SPDX-License-Identifier: Apache-2.0
//
// A table is a constexpr array of rows, one for each micro-kernel of a family
// in this build, best first. Rows of all families have
//
//   name    "{family}_{type}_{tile}__{isa}", as gemm_f32_6x16__avx2; some have
//           no tile. No other row has the same name
//   isa     the features that a CPU must have, as bits; 0: any CPU, and only
//           then the name ends in __scalar
//   kType   NameOf(kType) is the type in the name; self-tests fill operands
//           with numbers of it. GemmUkernel has `types` instead
//
// and then their functions, or a pointer to a set of functions. tables_test
// checks the names. The header of a family describes the other fields.
#ifndef MACE_CPU_UKERNELS_TESTING_ALL_TABLES_H_
#define MACE_CPU_UKERNELS_TESTING_ALL_TABLES_H_

#include "mace/cpu/ukernels/activate/activate_f32_table.h"
#include "mace/cpu/ukernels/add_q8/add_q8_table.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_table.h"
#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8_table.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks_table.h"
#include "mace/cpu/ukernels/gemv/gemv_table.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32_table.h"
#include "mace/cpu/ukernels/lut_q8/lut_q8_table.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_table.h"
#include "mace/cpu/ukernels/peak/peak_f32_table.h"
#include "mace/cpu/ukernels/peak/peak_q8_table.h"
#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8_table.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_table.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8_table.h"

namespace mace::cpu {

// Calls f(row) for each row of each table, in this order, whether this CPU can
// run the row or not; f takes rows of any type. Add new tables here.
template <typename F>
void ForEachRow(const F& f) {
  const auto each = [&f](const auto& table) {
    for (const auto& row : table) f(row);
  };
  each(kGemm);
  each(kGemmBlocks);
  each(kGemvF32);
  each(kDwconvF32);
  each(kDwconvF32Wide);
  each(kDwconvF16);
#if defined(__aarch64__)
  each(kDwconvF16Wide);
#endif
  each(kWinogradF32);
  each(kPoolF32);
  each(kPoolF16);
  each(kBinaryF32);
  each(kBinaryF16);
  each(kBinaryAddF32);
  each(kBinarySubtractF32);
  each(kBinaryAddF16);
  each(kActivateF32);
  each(kClampF32);
  each(kRowF32);
  each(kKvRowsF32);
  each(kMagnitudeF32);
  each(kSoftmaxF32);
  each(kPeakF32);
  each(kPeakQ8);
  each(kDwconvQ8);
  each(kRequantizeQ8);
  each(kRequantizeOnceQ8);
  each(kAddQ8);
  each(kLutQ8);
  each(kMaxpoolQ8);
  each(kAvgpoolQ8);
  each(kDequantizeRowsQ8);
  each(kGemvQ8);
  each(kQuantizeQ8);
  each(kWinogradQ8);
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_ALL_TABLES_H_
