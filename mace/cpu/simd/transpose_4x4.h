// Transposes 4x4 elements of 32 bits in registers.
// SPDX-License-Identifier: Apache-2.0
//
// Uses the compiler's own vectors of 16 bytes, which need no code for each
// instruction set. Not for micro-kernels: the functions are not in an unnamed
// namespace (see simd.h), as the files that pack and copy (mace/cpu/gemm,
// mace/cpu/copy) are compiled with the flags of the whole library.
//
//   src   a0 a1 a2 a3    low halves    a0 b0 a1 b1    dst   a0 b0 c0 d0
//         b0 b1 b2 b3    ab_lo, cd_lo  c0 d0 c1 d1          a1 b1 c1 d1
//         c0 c1 c2 c3    high halves   a2 b2 a3 b3          a2 b2 c2 d2
//         d0 d1 d2 d3    ab_hi, cd_hi  c2 d2 c3 d3          a3 b3 c3 d3
#ifndef MACE_CPU_SIMD_TRANSPOSE_4X4_H_
#define MACE_CPU_SIMD_TRANSPOSE_4X4_H_

#include <cstdint>
#include <cstring>

namespace mace {

// Four 32-bit elements in one vector register, of any type: they are only
// moved.
typedef uint32_t Four __attribute__((vector_size(16)));

// Load and store 16 bytes at any address.
inline Four LoadFour(const char* p) {
  Four v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
inline void StoreFour(char* p, Four v) { std::memcpy(p, &v, sizeof(v)); }

// Writes row i of src as column i of dst: 4 rows of 16 bytes each are read and
// written, nothing else, at any alignment. All are read before the first is
// written, so that dst may be src. Strides are in bytes.
inline void Transpose4x4(const char* src, int64_t src_stride, char* dst,
                         int64_t dst_stride) {
  const Four a = LoadFour(src), b = LoadFour(src + src_stride);
  const Four c = LoadFour(src + 2 * src_stride);
  const Four d = LoadFour(src + 3 * src_stride);
  const Four ab_lo = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four ab_hi = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_lo = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four cd_hi = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  StoreFour(dst, __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5));
  StoreFour(dst + dst_stride,
            __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7));
  StoreFour(dst + 2 * dst_stride,
            __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5));
  StoreFour(dst + 3 * dst_stride,
            __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7));
}

}  // namespace mace

#endif  // MACE_CPU_SIMD_TRANSPOSE_4X4_H_
