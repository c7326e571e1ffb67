// The tiles of a CPU with AMX-INT8.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_AMX_TILES_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_AMX_TILES_H_

#include "mace/cpu/ukernels/gemm/gemm_q8_amx.h"

namespace mace::cpu {
namespace {

// The CPU's tiles. GCC's intrinsics take only literal numbers of tiles, and
// those of GCC 12 do not say which memory they read.
struct CpuTiles {
  static void Configure(const AmxConfig& config) {
    asm volatile("ldtilecfg %0" : : "m"(config));
  }
  template <int kTile>
  static void Load(const void* from, size_t step) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(from), "r"(step), "i"(kTile)
                 : "memory");
  }
  template <int kTile>
  static void Store(void* to, size_t step) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(to), "r"(step), "i"(kTile)
                 : "memory");
  }
  template <int kTo, int kRowsOf, int kColumnsOf>
  static void AddProducts() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(kTo), "i"(kRowsOf), "i"(kColumnsOf));
  }
  // The same of signed with signed bytes.
  template <int kTo, int kRowsOf, int kColumnsOf>
  static void AddSignedProducts() {
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(kTo), "i"(kRowsOf), "i"(kColumnsOf));
  }
  template <int kTile>
  static void Zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  static void Release() { asm volatile("tilerelease"); }
};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_AMX_TILES_H_
