// The micro-kernels that are written once for all instruction sets,
// for AVX-512.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/activate/activate_f32_loop.h"
#include "mace/cpu/ukernels/binary/binary_f32_loop.h"
#include "mace/cpu/ukernels/gemv/gemv_f32_rows.h"
#include "mace/cpu/ukernels/gemv/gemv_q8_rows.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32_loop.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_loop.h"
#include "mace/cpu/ukernels/peak/peak_f32_loop.h"
#include "mace/cpu/ukernels/pool/pool_f32_line.h"
#include "mace/cpu/ukernels/quantize_q8/dequantize_rows_q8_loop.h"
#include "mace/cpu/ukernels/row/row_f32_loop.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_tile.h"

namespace mace::cpu {

const ActivateF32Set activate_f32__avx512 = kActivate;
ActivateF32Fn* const clamp_f32__avx512 = kActivate.clamp;

const BinaryF32Set binary_f32__avx512 = kBinary;
const BinaryF32One binary_add_f32__avx512 = kAdd;
const BinaryF32One binary_subtract_f32__avx512 = kSubtract;

void dequantize_8bits_q8__avx512(const DequantizeRowsQ8Args& t) {
  Dequantize8Bits(t);
}
void dequantize_4bits_q8__avx512(const DequantizeRowsQ8Args& t) {
  Dequantize4Bits(t);
}

void gemv_f32__avx512(const GemvF32Rows& t) { Gemv(t); }

void gemv_8bits_q8__avx512(const GemvQ8Args& t) { Gemv8Bits(t); }
void gemv_4bits_q8__avx512(const GemvQ8Args& t) { Gemv4Bits(t); }

const KvRowsF32Set kv_rows_f32__avx512 = kKvRows;

MagnitudeF32 magnitude_f32__avx512(const MagnitudeF32Rows& t) {
  return FindMagnitude(t);
}

const PeakF32Set peak_f32__avx512 = kPeak;

const PoolF32LineSet pool_f32_lines__avx512 = kLineFunctions;
void pool_max_f32__avx512(const PoolF32Window& t) {
  Pool<PoolMaxOf<Plain<float>>>(t);
}
void pool_mean_f32__avx512(const PoolF32Window& t) {
  Pool<PoolMeanOf<Plain<float>>>(t);
}
void pool_l2_f32__avx512(const PoolF32Window& t) { PoolL2(t); }

const RowF32Set row_f32__avx512 = kRow;
const SoftmaxF32Set softmax_f32__avx512 = kSoftmax;

const WinogradF32Set winograd_f32__avx512 = kWinograd;

}  // namespace mace::cpu
