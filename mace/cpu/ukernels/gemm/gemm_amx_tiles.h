// The tiles of a CPU with AMX-INT8.
// SPDX-License-Identifier: Apache-2.0
//
// Source: Intel SDM volume 2, palette 1: eight tiles of up to 16 rows of up to
// 64 bytes. A product of tiles with M rows, N columns and K groups of four
// bytes:
//
//   kRowsOf              kColumnsOf              kTo
//   [M rows][4 K bytes]  [K rows][4 N bytes]     [M rows][N int32]
//
// Tiles belong to the thread, and keep their values until the thread releases
// or configures them.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_AMX_TILES_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_AMX_TILES_H_

#include "mace/cpu/ukernels/gemm/gemm_q8_amx.h"

namespace mace::cpu {
namespace {

// The CPU's tiles. GCC's intrinsics take only literal numbers of tiles, and
// those of GCC 12 do not declare which memory they read. All statements are
// volatile, which keeps them in order. Operands are in AT&T order: the tile
// that is written comes last.
//
// REQUIRES: the CPU has AMX-INT8 and the system lets the process use it
// (kCpuAmxInt8); otherwise the first instruction raises a signal.
struct CpuTiles {
  // Sets the sizes of all tiles, and their values to zero. Must be called
  // before all other functions but Release. A tile of no rows must not be used.
  static void Configure(const AmxConfig& config) {
    asm volatile("ldtilecfg %0" : : "m"(config));
  }
  // Loads the rows of a tile, which begin `step` bytes apart in memory; a step
  // of 0 loads the same row into all of them. No alignment is needed.
  template <int kTile>
  static void Load(const void* from, size_t step) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(from), "r"(step), "i"(kTile)
                 : "memory");
  }
  // Stores as many rows and bytes as the tile is configured for, `step` bytes
  // apart.
  template <int kTile>
  static void Store(void* to, size_t step) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(to), "r"(step), "i"(kTile)
                 : "memory");
  }
  // Adds to each int32 of kTo the dot product of a row's unsigned bytes and a
  // column's signed bytes: 4 products for each row of kColumnsOf. Sums wrap
  // around.
  template <int kTo, int kRowsOf, int kColumnsOf>
  static void AddProducts() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(kTo), "i"(kRowsOf), "i"(kColumnsOf));
  }
  // The same with signed bytes in both.
  template <int kTo, int kRowsOf, int kColumnsOf>
  static void AddSignedProducts() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(kTo), "i"(kRowsOf), "i"(kColumnsOf));
  }
  // Sets a tile to zero, which takes no load.
  template <int kTile>
  static void Zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  // Returns all tiles to their initial state, in which a context switch does
  // not save them. Afterwards only Configure may be called.
  static void Release() { asm volatile("tilerelease"); }
};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_AMX_TILES_H_
