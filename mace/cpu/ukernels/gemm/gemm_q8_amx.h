// The 16x32 tile of int8 by the tiles of AMX: two of sums, one of rows, two of
// columns, and three more of rows and columns for the last, fewer depths.
// SPDX-License-Identifier: Apache-2.0
//
// `Tiles` has a function for each instruction: the CPU's tiles, or in tests
// their definition in plain C++:
//
//   Configure(config)         ldtilecfg: all tiles are zero afterwards
//   Load<tile>(from, step)    tileloadd: rows are `step` bytes apart
//   Store<tile>(to, step)     tilestored: likewise
//   AddProducts<sums, a, b>() tdpbusd
//   Release()                 tilerelease
//
// A step of 64 depths; a tile of b has the 16 groups of four depths as its
// rows:
//
//                        kB [16][64]         kBRight [16][64]
//                        columns 0 to 15     columns 16 to 31
//   kA [m rows][64]  ->  kSums [m][16]       kSumsRight [m][16]
//
// Both tiles of b are interleaved in the packed panel: [k / 4][32 columns][4],
// so that rows of a tile are 128 bytes apart. Lines of a are [16 rows][64], of
// which m are loaded.
//
// The last depth % 64 depths have tiles with fewer bytes in a row of a and
// fewer rows of b (kEndA, kEndB, kEndBRight), since a line may have any values
// behind the depth, and the panel ends there. They are other tiles because new
// sizes for kA and kB would clear the sums.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AMX_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AMX_H_

#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {

// What ldtilecfg reads: 64 bytes, those of tiles 8 to 15 being zero. A tile of
// no rows has no bytes either.
struct alignas(64) AmxConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

namespace {

// mr and nr.
constexpr size_t kAmxRows = 16, kAmxColumns = 32;
constexpr size_t kAmxGroup = 4, kAmxLine = 64;  // bytes
// Of a tile of b or of sums.
constexpr size_t kTileColumns = 16, kTileRowBytes = 64;

// The numbers of the tiles; kSumsRight and the like have columns 16 to 31.
enum AmxTile { kSums, kSumsRight, kA, kB, kBRight, kEndA, kEndB, kEndBRight };

// Returns the sizes of tiles for m rows and this depth. REQUIRES: the depth is
// a multiple of four. kEndA, kEndB and kEndBRight have no rows if the depth is
// a multiple of 64.
inline AmxConfig ConfigFor(size_t m, size_t depth) {
  AmxConfig config;
  const auto set = [&config](AmxTile tile, size_t rows, size_t row_bytes) {
    config.rows[tile] = static_cast<uint8_t>(rows);
    config.row_bytes[tile] = static_cast<uint16_t>(row_bytes);
  };
  set(kSums, m, kTileRowBytes);
  set(kSumsRight, m, kTileRowBytes);
  set(kA, m, kAmxLine);
  set(kB, kAmxLine / kAmxGroup, kTileRowBytes);
  set(kBRight, kAmxLine / kAmxGroup, kTileRowBytes);
  const size_t end = depth % kAmxLine;
  if (end == 0) return config;
  set(kEndA, m, end);
  set(kEndB, end / kAmxGroup, kTileRowBytes);
  set(kEndBRight, end / kAmxGroup, kTileRowBytes);
  return config;
}

// Adds the products of as many depths as tile A has bytes in a row. `a` points
// to the line of the first row, `b` to the first group of the panel. V: tiles
// of columns, 1 or 2.
template <int V, AmxTile A, AmxTile B, AmxTile BRight, typename Tiles>
inline void AddDepths(Tiles& tiles, const uint8_t* a, const int8_t* b) {
  constexpr size_t step = kAmxColumns * kAmxGroup;
  tiles.template Load<A>(a, kAmxLine);
  tiles.template Load<B>(b, step);
  tiles.template AddProducts<kSums, A, B>();
  if constexpr (V > 1) {
    tiles.template Load<BRight>(b + kTileRowBytes, step);
    tiles.template AddProducts<kSumsRight, A, BRight>();
  }
}

// Writes the sums of as many rows as the tiles have been configured for, and of
// V * 16 columns, to `sums`, [rows][32]. `start` has V * 16 elements. `a` is a
// packed tile of kAmxRows rows. REQUIRES: the tiles have been configured for
// this depth.
template <int V, typename Tiles>
inline void MultiplyTile(Tiles& tiles, const void* a, const int8_t* b,
                         size_t depth, const int32_t* start, int32_t* sums) {
  tiles.template Load<kSums>(start, 0);  // the same in each row
  if constexpr (V > 1) {
    tiles.template Load<kSumsRight>(start + kTileColumns, 0);
  }
  const auto* line = static_cast<const uint8_t*>(a);
  for (; depth >= kAmxLine; depth -= kAmxLine) {
    AddDepths<V, kA, kB, kBRight>(tiles, line, b);
    line += kAmxRows * kAmxLine;
    b += kAmxLine * kAmxColumns;
  }
  if (depth > 0) AddDepths<V, kEndA, kEndB, kEndBRight>(tiles, line, b);
  constexpr size_t step = kAmxColumns * sizeof(int32_t);
  tiles.template Store<kSums>(sums, step);
  if constexpr (V > 1) {
    tiles.template Store<kSumsRight>(sums + kTileColumns, step);
  }
}

// Computes a tile: the body of the GemmFn.
template <typename Tiles>
inline void Multiply(Tiles& tiles, GemmU8Tile t) {
  tiles.Configure(ConfigFor(t->m, t->k));
  if (t->n > kTileColumns) {
    MultiplyTile<2>(tiles, t.a(), t.b(), t->k, t.bias(), t.c());
  } else {
    MultiplyTile<1>(tiles, t.a(), t.b(), t->k, t.bias(), t.c());
  }
  // Without it, each context switch would save all tiles.
  tiles.Release();
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_Q8_AMX_H_
