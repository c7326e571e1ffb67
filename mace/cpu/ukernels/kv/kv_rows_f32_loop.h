// The implementation of the micro-kernels of rows of KV caches.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__{scalar,avx2,avx512,neon}.cc, which define kv_rows_f32__*
// as kKvRows. A type of rows is a struct with
//
//   Element   what a row consists of
//   Load      sixteen elements as floats, without the scale of the row
//   ScaleOf   the scale, by which the loops multiply afterwards
//
// Loops read rows in pieces of sixteen elements, a register of int8, which are
// kKvVectors registers of floats. How the loops go, with Q queries at once:
//
//   dot: for each row                add: for each piece of depth
//     for each piece of depth          load the piece of Q y
//       load it, once                  for each row
//       for Q queries: multiply-add      load its piece, once
//     store Q sums, times scale          for Q queries: multiply-add
//                                      store the piece of Q y
//
// Q is 4 as long as at least four queries are left, then 2, then 1: each piece
// of a row is loaded once for Q queries, and Q * kKvVectors registers
// accumulate: 16 of 32 on armv8, 8 of 16 on AVX2.
#ifndef MACE_CPU_UKERNELS_KV_KV_ROWS_F32_LOOP_H_
#define MACE_CPU_UKERNELS_KV_KV_ROWS_F32_LOOP_H_

#include "mace/cpu/simd/fp16_bits.h"
#include "mace/cpu/simd/int8.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32.h"

namespace mace::cpu {
namespace {

// Elements that are loaded at a time, and the vectors of their floats.
constexpr size_t kKvLanes = simd::kInt8Lanes;
constexpr size_t kKvVectors = simd::kInt8Vectors;
// The maximum number of queries that are computed at once. The sums of eight
// would take all registers of AVX2 and of armv8.
constexpr int kKvQueries = 4;

// Sixteen elements, as floats.
struct KvVectors {
  simd::F32 v[kKvVectors];
};

// Rows of f32, and also what loads x and y.
struct KvFloats {
  using Element = float;
  static KvVectors Load(const float* p) {
    KvVectors k;
#pragma GCC unroll 16
    for (size_t i = 0; i < kKvVectors; ++i) {
      k.v[i] = simd::Load(p + i * simd::kLanes);
    }
    return k;
  }
  static float ScaleOf(const float*, size_t) { return 1; }
};

// Rows of fp16. AVX-512, AVX2 (kCpuAvx2Fma includes F16C) and armv8 have
// instructions that convert vectors; armv7 and plain C++ convert one by one.
struct KvHalves {
  using Element = uint16_t;
  static KvVectors Load(const uint16_t* p) {
    KvVectors k;
#if !defined(MACE_SIMD_SCALAR) && defined(__AVX512F__)
    k.v[0] = _mm512_cvtph_ps(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif !defined(MACE_SIMD_SCALAR) && defined(__AVX2__)
    for (size_t i = 0; i < kKvVectors; ++i) {
      k.v[i] = _mm256_cvtph_ps(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8 * i)));
    }
#elif !defined(MACE_SIMD_SCALAR) && defined(__aarch64__)
#pragma GCC unroll 4
    for (size_t i = 0; i < kKvVectors; ++i) {
      k.v[i] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * i)));
    }
#else
    float floats[kKvLanes];
    for (size_t i = 0; i < kKvLanes; ++i) floats[i] = simd::FloatOfFp16(p[i]);
    k = KvFloats::Load(floats);
#endif
    return k;
  }
  static float ScaleOf(const uint16_t*, size_t) { return 1; }
};

// Rows of int8 with a scale behind the last element, at any address.
struct KvInt8 {
  using Element = uint8_t;
  static KvVectors Load(const uint8_t* p) {
    KvVectors k;
    simd::ToFloats(simd::LoadInt8(p), k.v);
    return k;
  }
  static float ScaleOf(const uint8_t* row, size_t depth) {
    float scale;
    __builtin_memcpy(&scale, row + depth, sizeof(scale));
    return scale;
  }
};

// The first element of row t.
template <typename T>
inline const typename T::Element* KvRow(const KvRowsF32& a, size_t t) {
  return reinterpret_cast<const typename T::Element*>(
      static_cast<const char*>(a.rows) +
      static_cast<ptrdiff_t>(t) * a.row_bytes);
}

// Loads elements [i, depth) of a row that begins at p, fewer than kKvLanes,
// without reading behind them; the others are 0, which add nothing to dot
// products.
template <typename T>
inline KvVectors LoadLast(const typename T::Element* p, size_t i,
                          size_t depth) {
  // 0 in memory is 0 for all three types.
  typename T::Element last[kKvLanes] = {};
  for (size_t k = 0; i + k < depth; ++k) last[k] = p[i + k];
  return T::Load(last);
}

// Dot products of Q queries, from `first` on, with all rows. `load` takes the
// beginning of a query and loads its current piece; queries stay in the L1
// cache.
template <typename T, int Q>
inline void DotQueries(const KvRowsF32& a, size_t first) {
  const float* x = a.x + static_cast<ptrdiff_t>(first) * a.x_stride;
  for (size_t t = 0; t < a.n; ++t) {
    const typename T::Element* row = KvRow<T>(a, t);
    KvVectors sums[Q];
    for (KvVectors& sum : sums) {
      for (simd::F32& v : sum.v) v = simd::Set1(0);
    }
    // Adds the products of piece k of the row to the sums of all queries.
    const auto add = [&](const KvVectors& k, const auto& load) {
#pragma GCC unroll 4
      for (int q = 0; q < Q; ++q) {
        const KvVectors of_query = load(x + q * a.x_stride);
#pragma GCC unroll 16
        for (size_t i = 0; i < kKvVectors; ++i) {
          sums[q].v[i] = simd::MulAdd(of_query.v[i], k.v[i], sums[q].v[i]);
        }
      }
    };
    size_t i = 0;
    for (; i + kKvLanes <= a.depth; i += kKvLanes) {
      add(T::Load(row + i),
          [i](const float* p) { return KvFloats::Load(p + i); });
    }
    if (i < a.depth) {
      add(LoadLast<T>(row, i, a.depth), [i, &a](const float* p) {
        return LoadLast<KvFloats>(p, i, a.depth);
      });
    }
    const float scale = T::ScaleOf(row, a.depth);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      // The scale once for each dot product, not for each element.
      simd::F32 sum = sums[q].v[0];
      for (size_t v = 1; v < kKvVectors; ++v) sum = sum + sums[q].v[v];
      a.y[(static_cast<ptrdiff_t>(first) + q) * a.y_stride +
          static_cast<ptrdiff_t>(t)] = scale * simd::Sum(sum);
    }
  }
}

// Adds the weighted sum of all rows to elements [i, i + kKvLanes) of Q results,
// from `first` on; kLast: to elements [i, depth), which are fewer. These stay
// in registers while all rows are read. The scale of a row is multiplied into
// its weights, of which there are fewer than elements.
template <typename T, int Q, bool kLast>
inline void AddElements(const KvRowsF32& a, size_t first, size_t i) {
  const float* x = a.x + static_cast<ptrdiff_t>(first) * a.x_stride;
  float* y = a.y + static_cast<ptrdiff_t>(first) * a.y_stride;
  KvVectors sums[Q];
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) {
    const float* of_query = y + q * a.y_stride;
    sums[q] = kLast ? LoadLast<KvFloats>(of_query, i, a.depth)
                    : KvFloats::Load(of_query + i);
  }
  for (size_t t = 0; t < a.n; ++t) {
    const typename T::Element* row = KvRow<T>(a, t);
    const KvVectors k = kLast ? LoadLast<T>(row, i, a.depth) : T::Load(row + i);
    const float scale = T::ScaleOf(row, a.depth);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const simd::F32 weight =
          simd::Set1(x[q * a.x_stride + static_cast<ptrdiff_t>(t)] * scale);
#pragma GCC unroll 16
      for (size_t v = 0; v < kKvVectors; ++v) {
        sums[q].v[v] = simd::MulAdd(weight, k.v[v], sums[q].v[v]);
      }
    }
  }
  float floats[kKvLanes];  // of which, if kLast, depth - i are copied to y
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) {
    float* to = kLast ? floats : y + q * a.y_stride + i;
#pragma GCC unroll 16
    for (size_t v = 0; v < kKvVectors; ++v) {
      simd::Store(to + v * simd::kLanes, sums[q].v[v]);
    }
    for (size_t k = 0; kLast && i + k < a.depth; ++k) {
      y[q * a.y_stride + static_cast<ptrdiff_t>(i + k)] = floats[k];
    }
  }
}

// AddElements for all pieces of depth.
template <typename T, int Q>
inline void AddQueries(const KvRowsF32& a, size_t first) {
  size_t i = 0;
  for (; i + kKvLanes <= a.depth; i += kKvLanes) {
    AddElements<T, Q, false>(a, first, i);
  }
  if (i < a.depth) AddElements<T, Q, true>(a, first, i);
}

// KvRowsF32Set::dot and ::add for rows of type T.
template <typename T>
void KvDot(const KvRowsF32& a) {
  size_t q = 0;
  for (; q + kKvQueries <= a.queries; q += kKvQueries) {
    DotQueries<T, kKvQueries>(a, q);
  }
  for (; q + 2 <= a.queries; q += 2) DotQueries<T, 2>(a, q);
  if (q < a.queries) DotQueries<T, 1>(a, q);
}

template <typename T>
void KvAdd(const KvRowsF32& a) {
  size_t q = 0;
  for (; q + kKvQueries <= a.queries; q += kKvQueries) {
    AddQueries<T, kKvQueries>(a, q);
  }
  for (; q + 2 <= a.queries; q += 2) AddQueries<T, 2>(a, q);
  if (q < a.queries) AddQueries<T, 1>(a, q);
}

// In the order of KvType.
constexpr KvRowsF32Set kKvRows = {
    {KvDot<KvFloats>, KvDot<KvHalves>, KvDot<KvInt8>},
    {KvAdd<KvFloats>, KvAdd<KvHalves>, KvAdd<KvInt8>}};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_KV_KV_ROWS_F32_LOOP_H_
