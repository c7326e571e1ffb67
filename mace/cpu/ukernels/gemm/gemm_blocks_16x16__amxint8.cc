// The 16x16 tiles of int8 times blocks on AMX-INT8, with the panels of AVX512-
// VNNI: weights are unsigned in memory and become signed for the tiles.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/gemm/gemm_amx_tiles.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks_avx512.h"

namespace mace::cpu {
namespace {

constexpr int kRows = 16;
// Blocks of a panel that are made signed at once, and the tiles of rows that
// are multiplied with them before the next ones, if a panel has more.
constexpr size_t kBlocksAtOnce = 64, kTilesAtOnce = 8;
constexpr size_t kLine = kColumns * kGroup;  // bytes
constexpr size_t kLines = kGemmBlock / kGroup;

// Tiles below kDotTiles have the dots of as many blocks.
constexpr int kDotTiles = 4;
enum BlockTile { kOfRows = kDotTiles, kOfColumns };

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
  for (int i = 0; i < kDotTiles; ++i) {
    config.rows[i] = static_cast<uint8_t>(m);
    config.row_bytes[i] = kLine;
  }
  config.rows[kOfRows] = static_cast<uint8_t>(m);
  config.row_bytes[kOfRows] = kGemmBlock;
  config.rows[kOfColumns] = kLines;
  config.row_bytes[kOfColumns] = kLine;
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

// What the blocks of a tile that have been multiplied add up to.
struct Sums {
  __m512 at[kRows];
};

// A tile of the rows for which the tiles have been configured, from a block on.
template <typename B>
class Product {
 public:
  Product(GemmBlocksTile<B> t, size_t first, Sums& sums)
      : t_(t), a_(t.a() + first * t->m), sums_(sums.at) {
    // Rows beyond the last one are those of the last one.
    for (int i = 0; i < kRows; ++i) {
      const auto row = static_cast<size_t>(i);
      row_[i] = row < t->m ? row : t->m - 1;
    }
    if (first > 0) return;
#pragma GCC unroll 16
    for (auto& sum : sums.at) sum = _mm512_setzero_ps();
  }

  // Adds `count` blocks. Dots are stored and scaled kAhead blocks
  // late: a tile can be stored long after its products have begun, and tiles
  // have no other registers that a next block could use meanwhile.
  void Add(const Panel<B>* b, const SignedBlock* weights, size_t count) const {
    Dots dots[kDotTiles];
    if (t_->m < kRows) __builtin_memset(dots, 0, sizeof(dots));
    __m512 sums[kRows];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) sums[i] = sums_[i];
    const Q8Block *a = a_, *of_dots = a_;
    const auto step = t_->m;
    size_t k = 0;
    for (; k < kAhead && k < count; ++k, a += step) {
      MultiplyAt(k, a, *weights++);
    }
    for (; k + kDotTiles <= count; k += kDotTiles) {
      // Block k has tile kAhead.
      Multiply<3>(a, weights[0]);
      Store<0>(dots);
      AddScaled(of_dots, b[0], dots[0], sums);
      a += step;
      of_dots += step;
      Multiply<0>(a, weights[1]);
      Store<1>(dots);
      AddScaled(of_dots, b[1], dots[1], sums);
      a += step;
      of_dots += step;
      Multiply<1>(a, weights[2]);
      Store<2>(dots);
      AddScaled(of_dots, b[2], dots[2], sums);
      a += step;
      of_dots += step;
      Multiply<2>(a, weights[3]);
      Store<3>(dots);
      AddScaled(of_dots, b[3], dots[3], sums);
      a += step;
      of_dots += step;
      weights += kDotTiles;
      b += kDotTiles;
    }
    for (size_t next = k < kAhead ? 0 : k - kAhead; next < count; ++next) {
      if (k < count) {
        MultiplyAt(k++, a, *weights++);
        a += step;
      }
      StoreAt(next, dots);
      AddScaled(of_dots, *b++, dots[next % kDotTiles], sums);
      of_dots += step;
    }
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

  static constexpr size_t kAhead = kDotTiles - 1;

  template <int kTile>
  static void Multiply(const Q8Block* a, const SignedBlock& weights) {
    CpuTiles::Zero<kTile>();
    CpuTiles::Load<kOfRows>(ValuesOf(a), kGemmBlock);
    CpuTiles::Load<kOfColumns>(weights, kLine);
    CpuTiles::AddSignedProducts<kTile, kOfRows, kOfColumns>();
  }
  template <int kTile>
  static void Store(Dots (&dots)[kDotTiles]) {
    CpuTiles::Store<kTile>(dots[kTile].at, sizeof(dots[kTile].at[0]));
  }
  // The same with the tile of block k.
  static void MultiplyAt(size_t k, const Q8Block* a,
                         const SignedBlock& weights) {
    switch (k % kDotTiles) {
      case 0:
        return Multiply<0>(a, weights);
      case 1:
        return Multiply<1>(a, weights);
      case 2:
        return Multiply<2>(a, weights);
      default:
        return Multiply<3>(a, weights);
    }
  }
  static void StoreAt(size_t k, Dots (&dots)[kDotTiles]) {
    switch (k % kDotTiles) {
      case 0:
        return Store<0>(dots);
      case 1:
        return Store<1>(dots);
      case 2:
        return Store<2>(dots);
      default:
        return Store<3>(dots);
    }
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
  __m512 (&sums_)[kRows];
  size_t row_[kRows];
};

// Prefetches the panel behind one, a part of it with each tile of rows.
class NextPanel {
 public:
  NextPanel(const void* panel, size_t bytes, size_t rows)
      : next_(static_cast<const char*>(panel) + bytes),
        each_((bytes * kRows + rows - 1) / rows) {}

  void PrefetchPart() {
    constexpr size_t kCacheLine = 64;
    for (size_t i = 0; i < each_; i += kCacheLine) {
      __builtin_prefetch(next_ + i);
    }
    next_ += each_;
  }

 private:
  const char* next_;
  size_t each_;
};

// Products with one panel of weights.
template <typename B>
class PanelProduct {
 public:
  explicit PanelProduct(GemmBlocksTile<B> tiles)
      : b_(reinterpret_cast<const Panel<B>*>(tiles.b())),
        blocks_((tiles->k + kGemmBlock - 1) / kGemmBlock),
        next_(b_, blocks_ * sizeof(*b_), tiles->m) {}
  // Or else each switch of threads would save all tiles.
  ~PanelProduct() {
    if (configured_ != 0) CpuTiles::Release();
  }

  void Multiply(GemmBlocksTile<B> tiles) {
    for (size_t k = 0; k < blocks_; k += kBlocksAtOnce) {
      const size_t left = blocks_ - k;
      const size_t count = left < kBlocksAtOnce ? left : kBlocksAtOnce;
      if (at_ != b_ + k) {
        at_ = b_ + k;
        for (size_t i = 0; i < count; ++i) MakeSigned(at_[i], weights_[i]);
      }
      Sums* sums = sums_;
      ForEachTile<kRows, 1, kGemmBlock>(tiles, [&](GemmBlocksTile<B> t) {
        if (k == 0) next_.PrefetchPart();
        Configure(t->m);
        const Product<B> product(t, k, *sums++);
        product.Add(at_, weights_, count);
        if (count == left) product.Write();
      });
    }
  }

 private:
  void Configure(size_t m) {
    if (m == configured_) return;
    CpuTiles::Configure(ConfigFor(m));
    configured_ = m;
  }

  alignas(64) SignedBlock weights_[kBlocksAtOnce];
  Sums sums_[kTilesAtOnce];
  const Panel<B>* b_;
  size_t blocks_;
  NextPanel next_;
  size_t configured_ = 0;         // rows
  const Panel<B>* at_ = nullptr;  // that weights_ are of
};

template <typename B>
void Multiply(GemmBlocksTile<B> tiles) {
  PanelProduct<B> panel(tiles);
  constexpr size_t kTiles = kTilesAtOnce * kRows;
  ForEachTile<kTiles, 1, kGemmBlock>(
      tiles, [&](GemmBlocksTile<B> some) { panel.Multiply(some); });
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
