// The GEMM micro-kernels for weights in blocks, as rows of the table of
// gemm_table.h; for each type of weights, the best comes first.
// SPDX-License-Identifier: Apache-2.0
//
// A library links them only with the kernels that choose among them.
//
// Names are gemm_{weights}_{MR}x{NR}__{isa}, and gemm_{weights}_row_{NR}__{isa}
// for one row by any number of panels, where `weights` is the type of b:
//
//   q4    Q4Block, int4
//   q4z   Q4ZeroBlock, int4 with zero points
//   w8    W8Block, int8
//
// One file, gemm_blocks_{MR}x{NR}__{isa}.cc, defines all three.
// gemm_{weights}_pack_{MR}__{isa} packs rows. q4z takes the packing of q4: only
// Q8Block::start differs, which q4z does not read. AMX has one packing for all
// weights, since its micro-kernels make weights signed.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_TABLE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_TABLE_H_

#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {

constexpr bool kReadsUnsigned = true;  // int8 plus 128

// Make the row of the table for a micro-kernel from its functions: `fn`
// multiplies tiles of up to mr rows, `row` a single one by any number of
// panels, `pack` packs the rows. `group` is how many bytes of a column are
// adjacent in GemmPanelBlock. The depth may be divided at whole blocks only.
template <auto* fn, auto* pack>
constexpr GemmUkernel GemmBlocks(const char* name, CpuFeatures isa, int mr,
                                 int nr, int group,
                                 bool reads_unsigned = false) {
  GemmPacking packing{group, kGemmBlock, kGemmBlock};
  packing.b_min = reads_unsigned ? 0 : -128;
  return Gemm<fn, pack>(name, isa, mr, nr, GemmPacks::kAlways, packing);
}
template <auto* fn, auto* row, auto* pack>
constexpr GemmUkernel GemmBlocks(const char* name, CpuFeatures isa, int mr,
                                 int nr, int group,
                                 bool reads_unsigned = false) {
  GemmUkernel kernel =
      GemmBlocks<fn, pack>(name, isa, mr, nr, group, reads_unsigned);
  kernel.row = GemmCall<row>::Run;
  return kernel;
}

// The micro-kernels, which a build has for its own architecture only.
GemmFn<GemmQ4Tile> gemm_q4_4x4__scalar, gemm_q4_row_16__avx512vnni,
    gemm_q4_16x16__amxint8, gemm_q4_14x16__avx512vnni, gemm_q4_6x8__avxvnni,
    gemm_q4_6x8__avx2, gemm_q4_4x8__i8mm, gemm_q4_row_8__i8mm,
    gemm_q4_8x8__dotprod, gemm_q4_row_8__dotprod;
GemmFn<GemmQ4ZeroTile> gemm_q4z_4x4__scalar, gemm_q4z_row_16__avx512vnni,
    gemm_q4z_16x16__amxint8, gemm_q4z_14x16__avx512vnni, gemm_q4z_6x8__avxvnni,
    gemm_q4z_6x8__avx2, gemm_q4z_4x8__i8mm, gemm_q4z_row_8__i8mm,
    gemm_q4z_8x8__dotprod, gemm_q4z_row_8__dotprod;
GemmFn<GemmW8Tile> gemm_w8_4x4__scalar, gemm_w8_row_16__avx512vnni,
    gemm_w8_16x16__amxint8, gemm_w8_14x16__avx512vnni, gemm_w8_6x8__avxvnni,
    gemm_w8_6x8__avx2, gemm_w8_4x8__i8mm, gemm_w8_row_8__i8mm,
    gemm_w8_8x8__dotprod, gemm_w8_row_8__dotprod;

GemmPackFn<float, Q8Block> gemm_q4_pack_4__scalar, gemm_w8_pack_4__scalar,
    gemm_blocks_pack_16__amxint8, gemm_q4_pack_14__avx512vnni,
    gemm_w8_pack_14__avx512vnni, gemm_q4_pack_6__avxvnni,
    gemm_w8_pack_6__avxvnni, gemm_q4_pack_6__avx2, gemm_w8_pack_6__avx2,
    gemm_q4_pack_8__dotprod, gemm_w8_pack_8__dotprod, gemm_q4_pack_4__i8mm,
    gemm_w8_pack_4__i8mm;

// BestGemmOfBlocks chooses the first row with the wanted types whose `isa` the
// CPU has and which passes its self-test. The last three, in plain C++, run on
// every CPU. Tests compare all rows with sums in double precision, since the
// rounding of rows differs.
inline constexpr GemmUkernel kGemmBlocks[] = {
#if defined(__x86_64__)
    GemmBlocks<gemm_q4_16x16__amxint8, gemm_blocks_pack_16__amxint8>(
        "gemm_q4_16x16__amxint8", kCpuAmxInt8, 16, 16, 4),
    GemmBlocks<gemm_q4z_16x16__amxint8, gemm_blocks_pack_16__amxint8>(
        "gemm_q4z_16x16__amxint8", kCpuAmxInt8, 16, 16, 4),
    GemmBlocks<gemm_w8_16x16__amxint8, gemm_blocks_pack_16__amxint8>(
        "gemm_w8_16x16__amxint8", kCpuAmxInt8, 16, 16, 4, kReadsUnsigned),
    GemmBlocks<gemm_q4_14x16__avx512vnni, gemm_q4_row_16__avx512vnni,
               gemm_q4_pack_14__avx512vnni>("gemm_q4_14x16__avx512vnni",
                                            kCpuAvx512Vnni, 14, 16, 4),
    GemmBlocks<gemm_q4z_14x16__avx512vnni, gemm_q4z_row_16__avx512vnni,
               gemm_q4_pack_14__avx512vnni>("gemm_q4z_14x16__avx512vnni",
                                            kCpuAvx512Vnni, 14, 16, 4),
    GemmBlocks<gemm_w8_14x16__avx512vnni, gemm_w8_row_16__avx512vnni,
               gemm_w8_pack_14__avx512vnni>(
        "gemm_w8_14x16__avx512vnni", kCpuAvx512Vnni, 14, 16, 4, kReadsUnsigned),
    GemmBlocks<gemm_q4_6x8__avxvnni, gemm_q4_pack_6__avxvnni>(
        "gemm_q4_6x8__avxvnni", kCpuAvxVnni | kCpuAvx2Fma, 6, 8, 4),
    GemmBlocks<gemm_q4z_6x8__avxvnni, gemm_q4_pack_6__avxvnni>(
        "gemm_q4z_6x8__avxvnni", kCpuAvxVnni | kCpuAvx2Fma, 6, 8, 4),
    GemmBlocks<gemm_w8_6x8__avxvnni, gemm_w8_pack_6__avxvnni>(
        "gemm_w8_6x8__avxvnni", kCpuAvxVnni | kCpuAvx2Fma, 6, 8, 4,
        kReadsUnsigned),
    GemmBlocks<gemm_q4_6x8__avx2, gemm_q4_pack_6__avx2>("gemm_q4_6x8__avx2",
                                                        kCpuAvx2Fma, 6, 8, 4),
    GemmBlocks<gemm_q4z_6x8__avx2, gemm_q4_pack_6__avx2>("gemm_q4z_6x8__avx2",
                                                         kCpuAvx2Fma, 6, 8, 4),
    GemmBlocks<gemm_w8_6x8__avx2, gemm_w8_pack_6__avx2>("gemm_w8_6x8__avx2",
                                                        kCpuAvx2Fma, 6, 8, 4),
#elif defined(__aarch64__)
    GemmBlocks<gemm_q4_4x8__i8mm, gemm_q4_row_8__i8mm, gemm_q4_pack_4__i8mm>(
        "gemm_q4_4x8__i8mm", kCpuI8mm | kCpuDotProd, 4, 8, 8),
    GemmBlocks<gemm_q4z_4x8__i8mm, gemm_q4z_row_8__i8mm, gemm_q4_pack_4__i8mm>(
        "gemm_q4z_4x8__i8mm", kCpuI8mm | kCpuDotProd, 4, 8, 8),
    GemmBlocks<gemm_w8_4x8__i8mm, gemm_w8_row_8__i8mm, gemm_w8_pack_4__i8mm>(
        "gemm_w8_4x8__i8mm", kCpuI8mm | kCpuDotProd, 4, 8, 8),
    GemmBlocks<gemm_q4_8x8__dotprod, gemm_q4_row_8__dotprod,
               gemm_q4_pack_8__dotprod>("gemm_q4_8x8__dotprod", kCpuDotProd, 8,
                                        8, 4),
    GemmBlocks<gemm_q4z_8x8__dotprod, gemm_q4z_row_8__dotprod,
               gemm_q4_pack_8__dotprod>("gemm_q4z_8x8__dotprod", kCpuDotProd, 8,
                                        8, 4),
    GemmBlocks<gemm_w8_8x8__dotprod, gemm_w8_row_8__dotprod,
               gemm_w8_pack_8__dotprod>("gemm_w8_8x8__dotprod", kCpuDotProd, 8,
                                        8, 4),
#endif
    GemmBlocks<gemm_q4_4x4__scalar, gemm_q4_pack_4__scalar>(
        "gemm_q4_4x4__scalar", 0, 4, 4, 4),
    GemmBlocks<gemm_q4z_4x4__scalar, gemm_q4_pack_4__scalar>(
        "gemm_q4z_4x4__scalar", 0, 4, 4, 4),
    GemmBlocks<gemm_w8_4x4__scalar, gemm_w8_pack_4__scalar>(
        "gemm_w8_4x4__scalar", 0, 4, 4, 4),
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_BLOCKS_TABLE_H_
