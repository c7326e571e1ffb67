// The micro-kernels that are written once for all instruction sets,
// for AVX2.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/activate/activate_f32_loop.h"
#include "mace/cpu/ukernels/binary/binary_f32_loop.h"
#include "mace/cpu/ukernels/gemv/gemv_f32_rows.h"
#include "mace/cpu/ukernels/gemv/gemv_q8_rows.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32_loop.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_loop.h"
#include "mace/cpu/ukernels/peak/peak_f32_loop.h"
#include "mace/cpu/ukernels/pool/pool_f32_line.h"
#include "mace/cpu/ukernels/pool/pool_q8_windows.h"
#include "mace/cpu/ukernels/quantize_q8/dequantize_rows_q8_loop.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8_loop.h"
#include "mace/cpu/ukernels/row/row_f32_loop.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_tile.h"

namespace mace::cpu {

const ActivateF32Set activate_f32__avx2 = kActivate;
ActivateF32Fn* const clamp_f32__avx2 = kActivate.clamp;

const BinaryF32Set binary_f32__avx2 = kBinary;
const BinaryF32One binary_add_f32__avx2 = kAdd;
const BinaryF32One binary_subtract_f32__avx2 = kSubtract;

void dequantize_8bits_q8__avx2(const DequantizeRowsQ8Args& t) {
  Dequantize8Bits(t);
}
void dequantize_4bits_q8__avx2(const DequantizeRowsQ8Args& t) {
  Dequantize4Bits(t);
}

void gemv_f32__avx2(const GemvF32Rows& t) { Gemv(t); }

void gemv_8bits_q8__avx2(const GemvQ8Args& t) { Gemv8Bits(t); }
void gemv_4bits_q8__avx2(const GemvQ8Args& t) { Gemv4Bits(t); }

const KvRowsF32Set kv_rows_f32__avx2 = kKvRows;

MagnitudeF32 magnitude_f32__avx2(const MagnitudeF32Rows& t) {
  return FindMagnitude(t);
}

const PeakF32Set peak_f32__avx2 = kPeak;

const PoolF32LineSet pool_f32_lines__avx2 = kLineFunctions;
void pool_max_f32__avx2(const PoolF32Window& t) {
  Pool<PoolMaxOf<Plain<float>>>(t);
}
void pool_mean_f32__avx2(const PoolF32Window& t) {
  Pool<PoolMeanOf<Plain<float>>>(t);
}
void pool_l2_f32__avx2(const PoolF32Window& t) { PoolL2(t); }

void maxpool_q8__avx2(const PoolQ8Windows& t) { MaxOfWindows(t); }
void avgpool_q8__avx2(const PoolQ8Windows& t) { MeansOfWindows(t); }

void quantize_q8__avx2(const QuantizeQ8Args& t) { QuantizeAll(t); }
void dequantize_q8__avx2(const DequantizeQ8Args& t) { DequantizeAll(t); }

const RowF32Set row_f32__avx2 = kRow;
const SoftmaxF32Set softmax_f32__avx2 = kSoftmax;

const WinogradF32Set winograd_f32__avx2 = kWinograd;

}  // namespace mace::cpu
