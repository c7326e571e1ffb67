// Depthwise sums of quantized values on AVX512-VNNI, which multiplies four
// lines of a column at once, for blocks of 64 channels.
// SPDX-License-Identifier: Apache-2.0

#include <immintrin.h>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 64, kGroup = 4;
constexpr size_t kStep = kLanes * kGroup;  // bytes of a group of lines

// Reads the lines of a tile's columns, as many columns at a time as a vector
// holds if each has V vectors of 16 channels.
template <int V>
class Reader {
 public:
  static constexpr size_t kColumns = 4 / V;

  explicit Reader(const DwconvQ8Tile& t)
      : first_(t.first),
        channels_(~uint64_t{0} >> (kLanes - t.channels)),
        flip_(_mm512_set1_epi8(static_cast<char>(t.flip))) {}

  // Arranges up to four lines, of up to kColumns columns, that begin at x[i]
  // and are `next` elements of x apart. Vectors to[c * V] to to[c * V + V - 1]
  // are column c; there, each channel has its lines side by side. Lines and
  // columns that do not exist are 0.
  template <size_t kLines>
  void Arrange(const uint8_t* const* x, size_t next, size_t columns,
               __m512i* to) const {
    __m512i line[kGroup];
#pragma GCC unroll 4
    for (size_t i = 0; i < kGroup; ++i) {
      line[i] = i < kLines ? Line(x + i, next, columns)  //
                           : _mm512_setzero_si512();
    }
    const __m512i low01 = _mm512_unpacklo_epi8(line[0], line[1]);
    const __m512i low23 = _mm512_unpacklo_epi8(line[2], line[3]);
    const __m512i high01 = _mm512_unpackhi_epi8(line[0], line[1]);
    const __m512i high23 = _mm512_unpackhi_epi8(line[2], line[3]);
    to[0] = _mm512_unpacklo_epi16(low01, low23);
    to[1] = _mm512_unpackhi_epi16(low01, low23);
    to[2] = _mm512_unpacklo_epi16(high01, high23);
    to[3] = _mm512_unpackhi_epi16(high01, high23);
  }

 private:
  __m512i Line(const uint8_t* const* x, size_t next, size_t columns) const {
    // Unpacking works within quarters of a vector: each must have four channels
    // of every result.
    const __m512i order =
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(
        order, _mm512_xor_si512(Quantized(x, next, columns), flip_));
  }

  __m512i Quantized(const uint8_t* const* x, size_t next,
                    size_t columns) const {
    const auto at = [&](size_t c) { return x[c * next] + first_; };
    if (V == 4) return _mm512_maskz_loadu_epi8(channels_, at(0));
    if (V == 2) {
      const auto half = [&](size_t c) {
        return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(channels_),
                                       at(c));
      };
      const __m512i quantized = _mm512_zextsi256_si512(half(0));
      return columns < 2 ? quantized
                         : _mm512_inserti64x4(quantized, half(1), 1);
    }
    const auto quarter = [&](size_t c) {
      return _mm_maskz_loadu_epi8(static_cast<__mmask16>(channels_), at(c));
    };
    __m512i quantized = _mm512_zextsi128_si512(quarter(0));
    if (columns > 1) quantized = _mm512_inserti32x4(quantized, quarter(1), 1);
    if (columns > 2) quantized = _mm512_inserti32x4(quantized, quarter(2), 2);
    if (columns > 3) quantized = _mm512_inserti32x4(quantized, quarter(3), 3);
    return quantized;
  }

  size_t first_;
  __mmask64 channels_;
  __m512i flip_;
};

// Windows of 3x3 without dilation, stride S. Columns stay in registers for all
// outputs that read them.
template <int V, int S>
void Outputs3x3(const DwconvQ8Tile& t) {
  constexpr size_t kKernel = 3, kStride = S, kVectors = V;
  constexpr size_t kBefore = kKernel - kStride;  // columns of former outputs
  // Columns that are arranged at a time, and the outputs that they complete.
  constexpr size_t kBatch = Reader<V>::kColumns;
  constexpr size_t kNew = kBatch < kStride ? kStride : kBatch;
  constexpr size_t kOutputs = kNew / kStride;
  const Reader<V> reader(t);
  const uint8_t* const* x = t.x;
  __m512i columns[(kBefore + kNew) * kVectors], weights[kKernel * kVectors];
  const auto* w = static_cast<const int8_t*>(t.w);
#pragma GCC unroll 16
  for (size_t i = 0; i < kKernel * kVectors; ++i) {
    weights[i] =
        _mm512_loadu_si512(w + i / kVectors * kStep + i % kVectors * 64);
  }
  const auto arrange = [&](size_t at, size_t n) {
    __m512i arranged[4];
    reader.template Arrange<kKernel>(x, kKernel, n, arranged);
    x += n * kKernel;
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      if (at * kVectors + i < (kBefore + kNew) * kVectors) {
        columns[at * kVectors + i] = arranged[i];
      }
    }
  };
  if (kBatch == 1) {
#pragma GCC unroll 2
    for (size_t c = 0; c < kBefore; ++c) arrange(c, 1);
  } else {
    arrange(0, kBefore);
  }
  int32_t* sums = t.sums;
  const auto step = [&](size_t outputs) {
    if (kBatch == 1) {
#pragma GCC unroll 2
      for (size_t c = 0; c < kNew; ++c) arrange(kBefore + c, 1);
    } else {
      arrange(kBefore, outputs * kStride);
    }
#pragma GCC unroll 4
    for (size_t o = 0; o < kOutputs; ++o) {
      if (o == outputs) return;
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) {
        __m512i acc = _mm512_loadu_si512(t.start + 16 * v);
#pragma GCC unroll 3
        for (size_t j = 0; j < kKernel; ++j) {
          acc = _mm512_dpbusd_epi32(acc,
                                    columns[(o * kStride + j) * kVectors + v],
                                    weights[j * kVectors + v]);
        }
        _mm512_store_si512(sums + 16 * v, acc);
      }
      sums += kLanes;
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < kBefore * kVectors; ++i) {
      columns[i] = columns[kNew * kVectors + i];
    }
  };
  size_t left = t.width;
  for (; left >= kOutputs; left -= kOutputs) step(kOutputs);
  if (left > 0) step(left);
}

// Writes a group of lines of n columns, which are `step` bytes apart.
template <size_t kLines, int V>
inline void ArrangeGroup(const Reader<V>& reader, const uint8_t* const* x,
                         size_t height, size_t n, size_t step, uint8_t* to) {
  __m512i arranged[4];
  reader.template Arrange<kLines>(x, height, n, arranged);
#pragma GCC unroll 4
  for (size_t i = 0; i < 4; ++i) {
    if (i / V == n) break;
    _mm512_store_si512(to + i / V * step + i % V * 64, arranged[i]);
  }
}

// Writes all columns to the scratch memory.
template <int V>
void ArrangeColumns(const DwconvQ8Tile& t) {
  constexpr size_t kColumns = Reader<V>::kColumns;
  const Reader<V> reader(t);
  const size_t height = t.height;
  const size_t step = (height + kGroup - 1) / kGroup * kStep;
  const uint8_t* const* x = t.x;
  auto* to = static_cast<uint8_t*>(t.scratch);
  for (size_t left = t.columns; left > 0;) {
    const size_t n = left < kColumns ? left : kColumns;
    uint8_t* group = to;
    size_t r = 0;
    for (; r + kGroup <= height; r += kGroup, group += kStep) {
      ArrangeGroup<4>(reader, x + r, height, n, step, group);
    }
    switch (height - r) {
      case 3:
        ArrangeGroup<3>(reader, x + r, height, n, step, group);
        break;
      case 2:
        ArrangeGroup<2>(reader, x + r, height, n, step, group);
        break;
      case 1:
        ArrangeGroup<1>(reader, x + r, height, n, step, group);
        break;
      default:
        break;
    }
    x += n * height;
    to += n * step;
    left -= n;
  }
}

// Vector v of N outputs from `i` on, for windows of K columns and G groups of
// lines with stride S, without dilation: outputs share columns in registers.
template <int K, int S, int G>
struct UsualWindow {
  template <int N>
  static void Run(const DwconvQ8Tile& t, size_t i, size_t v) {
    constexpr size_t kOutputs = N, kStride = S, kKernel = K, kGroups = G;
    constexpr size_t kColumns = (kOutputs - 1) * kStride + kKernel;
    __m512i acc[kOutputs];
    acc[0] = _mm512_loadu_si512(t.start + 16 * v);
#pragma GCC unroll 4
    for (size_t n = 1; n < kOutputs; ++n) acc[n] = acc[0];
    const auto* columns = static_cast<const uint8_t*>(t.scratch) + 64 * v +
                          i * kStride * kGroups * kStep;
    const auto* w = static_cast<const int8_t*>(t.w) + 64 * v;
    for (size_t plane = 0; plane < t.planes; ++plane) {
#pragma GCC unroll 2
      for (size_t g = 0; g < kGroups; ++g) {
        __m512i x[kColumns];
#pragma GCC unroll 16
        for (size_t c = 0; c < kColumns; ++c) {
          x[c] = _mm512_load_si512(columns + (c * kGroups + g) * kStep);
        }
#pragma GCC unroll 8
        for (size_t j = 0; j < kKernel; ++j) {
          const __m512i weights =
              _mm512_loadu_si512(w + (j * kGroups + g) * kStep);
#pragma GCC unroll 4
          for (size_t n = 0; n < kOutputs; ++n) {
            acc[n] = _mm512_dpbusd_epi32(acc[n], x[n * kStride + j], weights);
          }
        }
      }
      w += kKernel * kGroups * kStep;
    }
#pragma GCC unroll 4
    for (size_t n = 0; n < kOutputs; ++n) {
      _mm512_store_si512(t.sums + (i + n) * kLanes + 16 * v, acc[n]);
    }
  }
};

// The same for any window.
struct AnyWindow {
  template <int N>
  static void Run(const DwconvQ8Tile& t, size_t i, size_t v) {
    constexpr size_t kOutputs = N;
    __m512i acc[kOutputs];
    acc[0] = _mm512_loadu_si512(t.start + 16 * v);
#pragma GCC unroll 4
    for (size_t n = 1; n < kOutputs; ++n) acc[n] = acc[0];
    const size_t groups = (t.height + kGroup - 1) / kGroup;
    const size_t next = t.stride * groups * kStep;  // the next output's column
    const auto* w = static_cast<const int8_t*>(t.w) + 64 * v;
    const auto* x = static_cast<const uint8_t*>(t.scratch) + 64 * v + i * next;
    for (size_t plane = 0; plane < t.planes; ++plane) {
      for (size_t j = 0; j < t.kernel; ++j) {
        const uint8_t* group = x + j * t.dilation * groups * kStep;
        for (size_t g = 0; g < groups; ++g, group += kStep, w += kStep) {
          const __m512i weights = _mm512_loadu_si512(w);
#pragma GCC unroll 4
          for (size_t n = 0; n < kOutputs; ++n) {
            acc[n] = _mm512_dpbusd_epi32(
                acc[n], _mm512_load_si512(group + n * next), weights);
          }
        }
      }
    }
#pragma GCC unroll 4
    for (size_t n = 0; n < kOutputs; ++n) {
      _mm512_store_si512(t.sums + (i + n) * kLanes + 16 * v, acc[n]);
    }
  }
};

template <typename Window>
void Outputs(const DwconvQ8Tile& t, size_t vectors) {
  constexpr size_t kOutputs = 4;
  for (size_t v = 0; v < vectors; ++v) {
    size_t i = 0;
    for (; i + kOutputs <= t.width; i += kOutputs) {
      Window::template Run<kOutputs>(t, i, v);
    }
    if (i < t.width && i > 0) {  // some of them once more
      Window::template Run<kOutputs>(t, t.width - kOutputs, v);
      continue;
    }
    for (; i < t.width; ++i) Window::template Run<1>(t, i, v);
  }
}

using OutputsFn = void(const DwconvQ8Tile& t, size_t vectors);

// The outputs of columns that are arranged.
OutputsFn* OutputsFor(const DwconvQ8Tile& t) {
  const bool usual = t.kernel == t.height && t.dilation == 1;
  if (usual && t.kernel == 3) {
    if (t.stride == 1) return Outputs<UsualWindow<3, 1, 1>>;
    if (t.stride == 2) return Outputs<UsualWindow<3, 2, 1>>;
  }
  if (usual && t.kernel == 5) {
    if (t.stride == 1) return Outputs<UsualWindow<5, 1, 2>>;
    if (t.stride == 2) return Outputs<UsualWindow<5, 2, 2>>;
  }
  return Outputs<AnyWindow>;
}

template <int V>
void Run(const DwconvQ8Tile& t) {
  if (t.kernel == 3 && t.height == 3 && t.planes == 1 && t.dilation == 1) {
    if (t.stride == 1) return Outputs3x3<V, 1>(t);
    if (t.stride == 2) return Outputs3x3<V, 2>(t);
  }
  ArrangeColumns<V>(t);
  OutputsFor(t)(t, V);
}

}  // namespace

void dwconv_q8_any__avx512vnni(const DwconvQ8Tile& tile) {
  if (tile.channels > 32) return Run<4>(tile);
  if (tile.channels > 16) return Run<2>(tile);
  Run<1>(tile);
}

}  // namespace mace::cpu
