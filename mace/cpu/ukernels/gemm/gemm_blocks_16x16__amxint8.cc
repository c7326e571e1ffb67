// The 16x16 tiles of int8 times blocks on AMX-INT8, with the panels of AVX512-
// VNNI: weights are unsigned in memory and become signed for the tiles.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_amx_tiles.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks_avx512.h"

namespace mace::cpu {
namespace {

constexpr int kRows = 16;
// Blocks of a panel that are made signed at once.
constexpr size_t kBlocksAtOnce = 64;
constexpr size_t kLine = kColumns * kGroup;  // bytes
constexpr size_t kLines = kGemmBlock / kGroup;

enum BlockTile { kDots, kOfRows, kOfColumns };

// A block as the tiles multiply it.
using SignedBlock = int8_t[kLines][kLine];

// A block of the m rows of a tile has the bytes of m Q8Blocks: the values of
// all rows, of which no row is in two cache lines, and then the rest.
struct RowOfBlock {
  float scale, sum;
  int32_t unused;
};
static_assert(sizeof(RowOfBlock) + kGemmBlock == sizeof(Q8Block));

inline const int8_t* ValuesOf(const Q8Block* block) {
  return reinterpret_cast<const int8_t*>(block);
}
inline const RowOfBlock* RowsOf(const Q8Block* block, size_t m) {
  return reinterpret_cast<const RowOfBlock*>(ValuesOf(block) + m * kGemmBlock);
}

AmxConfig ConfigFor(size_t m) {
  AmxConfig config;
  config.rows[kDots] = config.rows[kOfRows] = static_cast<uint8_t>(m);
  config.rows[kOfColumns] = kLines;
  config.row_bytes[kDots] = config.row_bytes[kOfColumns] = kLine;
  config.row_bytes[kOfRows] = kGemmBlock;
  return config;
}

// What the signed values of blocks are multiplied by.
template <typename B>
constexpr int kFactor = 16;
template <>
constexpr int kFactor<W8Block> = 1;

// value - 8, times 16: in the upper bits, of which the highest is inverted.
template <typename B>
inline void MakeSigned(const Panel<B>& b, SignedBlock& to) {
  const __m512i high = _mm512_set1_epi8(static_cast<char>(0xf0));
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(0x80));
  constexpr int kXorThenAnd = 0x28;  // (a ^ b) & c
#pragma GCC unroll 4
  for (size_t g = 0; g < kLines / 2; ++g) {
    const __m512i pairs = _mm512_loadu_si512(b.bytes[g]);
    _mm512_store_si512(
        to[g], _mm512_ternarylogic_epi32(_mm512_slli_epi16(pairs, 4), sign,
                                         high, kXorThenAnd));
    _mm512_store_si512(to[g + kLines / 2], _mm512_ternarylogic_epi32(
                                               pairs, sign, high, kXorThenAnd));
  }
}
inline void MakeSigned(const Panel<W8Block>& b, SignedBlock& to) {
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(0x80));
#pragma GCC unroll 8
  for (size_t g = 0; g < kLines; ++g) {
    _mm512_store_si512(to[g],
                       _mm512_xor_si512(_mm512_loadu_si512(b.bytes[g]), sign));
  }
}

// A tile of the rows for which the tiles have been configured.
template <typename B>
class Product {
 public:
  explicit Product(GemmBlocksTile<B> t) : t_(t), a_(t.a()) {
    // Rows beyond the last one are those of the last one.
    for (int i = 0; i < kRows; ++i) {
      const auto row = static_cast<size_t>(i);
      row_[i] = row < t->m ? row : t->m - 1;
    }
#pragma GCC unroll 16
    for (auto& sum : sums_) sum = _mm512_setzero_ps();
  }

  // Adds the next `count` blocks. Dots take long from the tiles through memory
  // to vectors, where those of the block before are scaled meanwhile.
  void Add(const Panel<B>* b, const SignedBlock* weights, size_t count) {
    Dots dots[2];
    if (t_->m < kRows) __builtin_memset(dots, 0, sizeof(dots));
    __m512 sums[kRows];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) sums[i] = sums_[i];
    const Q8Block* a = a_;
    Multiply(a, weights[0], dots[0]);
    for (size_t k = 1; k < count; ++k) {
      Multiply(a + t_->m, weights[k], dots[k % 2]);
      AddScaled(a, b[k - 1], dots[(k - 1) % 2], sums);
      a += t_->m;
    }
    AddScaled(a, b[count - 1], dots[(count - 1) % 2], sums);
    a_ = a + t_->m;
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) sums_[i] = sums[i];
  }

  void Write() const {
    const RowWriter writer(t_);
    const RowOfBlock* rows = RowsOf(t_.a(), t_->m);
    for (size_t i = 0; i < t_->m; ++i) {
      writer.Write(static_cast<ptrdiff_t>(i), sums_[i], rows[i].scale);
    }
  }

 private:
  struct alignas(64) Dots {
    int32_t at[kRows][kColumns];
  };

  static void Multiply(const Q8Block* a, const SignedBlock& weights,
                       Dots& dots) {
    CpuTiles::Zero<kDots>();
    CpuTiles::Load<kOfRows>(ValuesOf(a), kGemmBlock);
    CpuTiles::Load<kOfColumns>(weights, kLine);
    CpuTiles::AddSignedProducts<kDots, kOfRows, kOfColumns>();
    CpuTiles::Store<kDots>(dots.at, sizeof(dots.at[0]));
  }

  void AddScaled(const Q8Block* a, const Panel<B>& b, const Dots& dots,
                 __m512 (&sums)[kRows]) const {
    const __m512 scales =
        _mm512_mul_ps(Floats(b.scales), _mm512_set1_ps(1.0f / kFactor<B>));
    __m512 zeros;
    if constexpr (kHasZero) {
      zeros = _mm512_mul_ps(_mm512_sub_ps(Floats(b.zeros), _mm512_set1_ps(8)),
                            _mm512_set1_ps(kFactor<B>));
    }
    const RowOfBlock* rows = RowsOf(a, t_->m);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      __m512 dot = _mm512_cvtepi32_ps(_mm512_load_si512(dots.at[i]));
      if constexpr (kHasZero) {
        dot = _mm512_fnmadd_ps(zeros, _mm512_set1_ps(rows[row_[i]].sum), dot);
      }
      sums[i] = _mm512_fmadd_ps(scales, dot, sums[i]);
    }
  }

  static constexpr bool kHasZero = sizeof(B) == sizeof(Q4ZeroBlock);

  const GemmBlocksTile<B> t_;
  const Q8Block* a_;
  size_t row_[kRows];
  __m512 sums_[kRows];
};

template <typename B>
void Multiply(GemmBlocksTile<B> tiles) {
  alignas(64) SignedBlock weights[kBlocksAtOnce];
  const auto* b = reinterpret_cast<const Panel<B>*>(tiles.b());
  const size_t blocks = (tiles->k + kGemmBlock - 1) / kGemmBlock;
  size_t configured = 0;         // rows
  const Panel<B>* at = nullptr;  // that `weights` are of
  ForEachTile<kRows, 1, kGemmBlock>(tiles, [&](GemmBlocksTile<B> t) {
    if (t->m != configured) {
      CpuTiles::Configure(ConfigFor(t->m));
      configured = t->m;
    }
    Product<B> product(t);
    for (size_t k = 0; k < blocks; k += kBlocksAtOnce) {
      const size_t left = blocks - k;
      const size_t count = left < kBlocksAtOnce ? left : kBlocksAtOnce;
      if (at != b + k) {
        at = b + k;
        for (size_t i = 0; i < count; ++i) MakeSigned(at[i], weights[i]);
      }
      product.Add(at, weights, count);
    }
    product.Write();
  });
  // Or else each switch of threads would save all tiles.
  if (configured != 0) CpuTiles::Release();
}

}  // namespace

void gemm_q4_16x16__amxint8(GemmQ4Tile tiles) { Multiply<Q4Block>(tiles); }
void gemm_q4z_16x16__amxint8(GemmQ4ZeroTile tiles) {
  Multiply<Q4ZeroBlock>(tiles);
}
void gemm_w8_16x16__amxint8(GemmW8Tile tiles) { Multiply<W8Block>(tiles); }

Q8Block* gemm_blocks_pack_16__amxint8(GemmUnpackedOf<float> rows, Q8Block* to) {
  const size_t m = rows->m, blocks = (rows->k + kGemmBlock - 1) / kGemmBlock;
  for (size_t i = 0; i < m; ++i) {
    Q8Block* block = to;
    const auto values = [&] {
      return reinterpret_cast<int8_t*>(block) + i * kGemmBlock;
    };
    QuantizeRow16(rows.row(i), rows->k, values(),
                  [&](float scale, int32_t sum) {
                    auto* all = reinterpret_cast<RowOfBlock*>(
                        reinterpret_cast<int8_t*>(block) + m * kGemmBlock);
                    all[i] = {scale, static_cast<float>(sum), 0};
                    block += m;
                    return values();
                  });
  }
  return to + blocks * m;
}

}  // namespace mace::cpu
