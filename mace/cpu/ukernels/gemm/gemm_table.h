// The GEMM micro-kernels of this build; for each combination of types, the best
// comes first.
// SPDX-License-Identifier: Apache-2.0
//
// A new micro-kernel is a file, gemm_{type}_{MR}x{NR}__{isa}.cc, with a
// declaration and a row here: see docs/add_a_micro_kernel.md. If rows are
// quantized, {type} is q8, that of the rows.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_TABLE_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_TABLE_H_

#include "mace/base/cpu_features.h"
#include "mace/base/cpu_rows.h"
#include "mace/cpu/ukernels/gemm/gemm_q8.h"

namespace mace::cpu {

// Requantization as the epilogue of whole tiles, and the limits within which it
// is exact, like the limits of RequantizeQ8 (requantize_q8_table.h).
//
// A driver may call `fn` if no row sum is added (the zero point of b is 0),
// sums are rounded twice as requantize_q8 does, |sum| * 2^left < 2^bits and
// right <= max_right for all channels. Other sums are stored, and requantized
// by a row of kRequantizeQ8.
struct GemmEpilogue {
  GemmRequantizedFn* fn = nullptr;  // null: sums are requantized afterwards
  int bits = 29, max_right = 21;
};

// The description of a micro-kernel. Rows are constants of the program, to
// which drivers keep pointers.
struct GemmUkernel {
  // The name of the function, and of the file (but gemm_blocks_table.h). Shared
  // packed weights of floats are told apart by this name.
  const char* name;
  CpuFeatures isa;  // what the CPU must have, all of it; 0: nothing
  int mr, nr;       // the largest tile; mr <= kGemmMaxRows
  GemmTypes types;
  GemmPacks packs;
  GemmPacking packing;
  // `fn`, `pack` and `row` cast the pointers of their operands to `types`.
  void (*fn)(const GemmTile& tile);
  // Null with GemmPacks::kNever, and for quantized rows.
  void* (*pack)(const GemmUnpacked& rows, void* to);
  // For quantized rows, instead of `pack`; else null.
  GemmPackRunsFn* pack_runs = nullptr;
  GemmEpilogue epilogue = {};
  // As `fn`, for one packed row and n columns in any number of panels, which
  // lie one behind the other. Null: a driver calls `fn` for each panel.
  void (*row)(const GemmTile& tile) = nullptr;

  constexpr int64_t a_bytes() const {  // of a packed element of a
    return static_cast<int64_t>(SizeOf(types.a));
  }
  constexpr bool is_quantized() const { return types.x == Element::kQ8; }
  // For quantized rows only: whether they are multiplied as numbers in [0,
  // 255].
  constexpr bool reads_unsigned() const { return types.a != Element::kI8; }
};

// Make the description of a micro-kernel from its typed functions: kTypes, kX
// and kA are deduced from the arguments, and Run casts operands to these types,
// so that functions of all types fit into one table.
template <auto* fn>
struct GemmCall;
template <typename A, typename B, typename C, typename Acc,
          void (*fn)(GemmTileOf<A, B, C, Acc>)>
struct GemmCall<fn> {
  static constexpr GemmTypes kTypes = {ElementOf<A>(), ElementOf<A>(),
                                       ElementOf<B>(), ElementOf<C>(),
                                       ElementOf<Acc>()};
  static void Run(const GemmTile& tile) { fn(GemmTileOf<A, B, C, Acc>(tile)); }
};
template <auto* pack>
struct GemmPackCall;
template <typename X, typename A, A* (*pack)(GemmUnpackedOf<X>, A*)>
struct GemmPackCall<pack> {
  static constexpr Element kX = ElementOf<X>(), kA = ElementOf<A>();
  static void* Run(const GemmUnpacked& rows, void* to) {
    return pack(GemmUnpackedOf<X>(rows), static_cast<A*>(to));
  }
};

// A row of the table for float rows that are never packed: x is the type of a.
template <auto* fn>
constexpr GemmUkernel Gemm(const char* name, CpuFeatures isa, int mr, int nr) {
  return {name,
          isa,
          mr,
          nr,
          GemmCall<fn>::kTypes,
          GemmPacks::kNever,
          {},
          GemmCall<fn>::Run,
          nullptr};
}
// A row of the table for float rows that `pack` packs, always or where it pays
// (`packs`); x is the type of rows that `pack` reads. Does not compile if
// `pack` writes another type than `fn` multiplies.
template <auto* fn, auto* pack>
constexpr GemmUkernel Gemm(const char* name, CpuFeatures isa, int mr, int nr,
                           GemmPacks packs, GemmPacking packing = {}) {
  static_assert(GemmCall<fn>::kTypes.a == GemmPackCall<pack>::kA);
  GemmTypes types = GemmCall<fn>::kTypes;
  types.x = GemmPackCall<pack>::kX;
  return {name,
          isa,
          mr,
          nr,
          types,
          packs,
          packing,
          GemmCall<fn>::Run,
          GemmPackCall<pack>::Run};
}

// A row of the table for quantized values. `requantized` is its epilogue, or
// null.
template <auto* fn>
constexpr GemmUkernel GemmQ8(const char* name, CpuFeatures isa, int mr, int nr,
                             GemmPackRunsFn* pack, GemmPacking packing,
                             GemmRequantizedFn* requantized = nullptr) {
  GemmTypes types = GemmCall<fn>::kTypes;
  types.x = Element::kQ8;
  return {name,         isa,
          mr,           nr,
          types,        GemmPacks::kAlways,
          packing,      GemmCall<fn>::Run,
          nullptr,      pack,
          {requantized}};
}

GemmFn<GemmF32Tile> gemm_f32_4x4__scalar;
GemmFn<GemmF32Tile> gemm_f32_6x16__avx2;
GemmFn<GemmF32Tile> gemm_f32_14x32__avx512;
GemmFn<GemmF32Tile> gemm_f32_8x48__avx512;
GemmFn<GemmF32Tile> gemm_f32_8x8__aarch64;
GemmFn<GemmF32Tile> gemm_f32_4x8__neon;
GemmFn<GemmBf16Tile> gemm_bf16_4x4__scalar;
GemmFn<GemmBf16Tile> gemm_bf16_14x32__avx512bf16;
GemmFn<GemmBf16Tile> gemm_bf16_8x8__bf16;
GemmFn<GemmF16Tile> gemm_f16_4x4__scalar;
GemmFn<GemmF16Tile> gemm_f16_8x16__fp16;
GemmFn<GemmF16RowsTile> gemm_f16_8x4_rows__scalar;
GemmFn<GemmF16RowsTile> gemm_f16_8x16_rows__fp16;
GemmFn<GemmI8Tile> gemm_q8_4x8__scalar;
GemmFn<GemmI16Tile> gemm_q8_6x16__avx2;
GemmFn<GemmU8Tile> gemm_q8_6x16__avxvnni;
GemmFn<GemmU8Tile> gemm_q8_12x32__avx512vnni;
GemmFn<GemmU8Tile> gemm_q8_16x32__amxint8;
GemmFn<GemmI8Tile> gemm_q8_6x16__i8mm;
GemmFn<GemmI8Tile> gemm_q8_6x16__dotprod;
GemmFn<GemmI8Tile> gemm_q8_4x16__aarch64;
GemmFn<GemmI8Tile> gemm_q8_4x8__neon;
GemmFn<GemmI8Tile> gemm_q8_4x8_full__neon;

GemmPackFn<float, float> gemm_f32_pack_8__aarch64;
GemmPackFn<float, Bf16> gemm_bf16_pack_4__scalar;
GemmPackFn<float, Bf16> gemm_bf16_pack_14__avx512bf16;
GemmPackFn<float, Bf16> gemm_bf16_pack_8__bf16;
GemmPackFn<float, Fp16> gemm_f16_pack_4__scalar;
GemmPackFn<float, Fp16> gemm_f16_pack_8__fp16;
GemmPackFn<Fp16, Fp16> gemm_f16_pack_rows_8__scalar;
GemmPackRunsFn gemm_q8_pack_4__scalar, gemm_q8_pack_6__avx2,
    gemm_q8_pack_6__avxvnni, gemm_q8_pack_12__avx512vnni,
    gemm_q8_pack_16__amxint8, gemm_q8_pack_6__dotprod, gemm_q8_pack_4__neon;
GemmRequantizedFn gemm_q8_requantized_12x32__avx512vnni,
    gemm_q8_requantized_16x32__amxint8;

// BestGemm (mace/cpu/common/choose_gemm.h) takes the first row with the wanted
// types whose `isa` the CPU has and which passes its self-test; tests and
// benchmarks loop over all rows. The last row of float32, of each combination
// with bf16 or fp16, and of quantized values is plain C++: tests compare
// against it, and it computes where no other can; libraries for armv8 leave out
// those of float32 and quantized values. Rows of float32 with the same `isa`
// are all candidates: ChooseGemmF32 prefers the one whose tile fits the rows
// better, as 8x48 fits 16 of them, or whose rows need no copying. Of quantized
// rows, BestGemmQ8 takes the first whose b_min is not above the lowest value of
// the filter: Arm without SDOT has rows for -127 and for -128. The numbers in
// braces are those of GemmPacking, in its order.
inline constexpr GemmUkernel kGemm[] = {
#if defined(__x86_64__)
    Gemm<gemm_f32_14x32__avx512>("gemm_f32_14x32__avx512", kCpuAvx512, 14, 32),
    Gemm<gemm_f32_8x48__avx512>("gemm_f32_8x48__avx512", kCpuAvx512, 8, 48),
    Gemm<gemm_f32_6x16__avx2>("gemm_f32_6x16__avx2", kCpuAvx2Fma, 6, 16),
#ifndef MACE_WITHOUT_16BIT_KERNELS
    Gemm<gemm_bf16_14x32__avx512bf16, gemm_bf16_pack_14__avx512bf16>(
        "gemm_bf16_14x32__avx512bf16", kCpuAvx512 | kCpuAvx512Bf16, 14, 32,
        GemmPacks::kAlways, {2, 32, 2}),
#endif
#elif defined(__ARM_NEON)
#if defined(__aarch64__)
    Gemm<gemm_f32_8x8__aarch64, gemm_f32_pack_8__aarch64>(
        "gemm_f32_8x8__aarch64", kCpuNeon, 8, 8, GemmPacks::kWhereItPays),
#ifndef MACE_WITHOUT_16BIT_KERNELS
    Gemm<gemm_bf16_8x8__bf16, gemm_bf16_pack_8__bf16>(
        "gemm_bf16_8x8__bf16", kCpuNeon | kCpuBf16, 8, 8, GemmPacks::kAlways,
        {4, 4, 4}),
    Gemm<gemm_f16_8x16__fp16, gemm_f16_pack_8__fp16>(
        "gemm_f16_8x16__fp16", kCpuNeon | kCpuFp16, 8, 16, GemmPacks::kAlways,
        {1, 8, 1}),
    Gemm<gemm_f16_8x16_rows__fp16, gemm_f16_pack_rows_8__scalar>(
        "gemm_f16_8x16_rows__fp16", kCpuNeon | kCpuFp16, 8, 16,
        GemmPacks::kAlways, {1, 8, 8}),
#endif
#endif
    Gemm<gemm_f32_4x8__neon>("gemm_f32_4x8__neon", kCpuNeon, 4, 8),
#endif
#if MACE_HAS_SCALAR_ROWS
    Gemm<gemm_f32_4x4__scalar>("gemm_f32_4x4__scalar", 0, 4, 4),
#endif
#ifndef MACE_WITHOUT_16BIT_KERNELS
    Gemm<gemm_bf16_4x4__scalar, gemm_bf16_pack_4__scalar>(
        "gemm_bf16_4x4__scalar", 0, 4, 4, GemmPacks::kAlways, {2, 2, 2}),
    Gemm<gemm_f16_4x4__scalar, gemm_f16_pack_4__scalar>(
        "gemm_f16_4x4__scalar", 0, 4, 4, GemmPacks::kAlways, {1, 2, 1}),
    Gemm<gemm_f16_8x4_rows__scalar, gemm_f16_pack_rows_8__scalar>(
        "gemm_f16_8x4_rows__scalar", 0, 8, 4, GemmPacks::kAlways, {1, 8, 8}),
#endif
#ifndef MACE_WITHOUT_8BIT_KERNELS
#if defined(__x86_64__)
    GemmQ8<gemm_q8_16x32__amxint8>(
        "gemm_q8_16x32__amxint8", kCpuAmxInt8, 16, 32, gemm_q8_pack_16__amxint8,
        {4, 64, 4, 4, -128, true}, gemm_q8_requantized_16x32__amxint8),
    GemmQ8<gemm_q8_12x32__avx512vnni>(
        "gemm_q8_12x32__avx512vnni", kCpuAvx512Vnni, 12, 32,
        gemm_q8_pack_12__avx512vnni, {4, 64, 4, 4, -128, true},
        gemm_q8_requantized_12x32__avx512vnni),
    GemmQ8<gemm_q8_6x16__avxvnni>("gemm_q8_6x16__avxvnni", kCpuAvxVnni, 6, 16,
                                  gemm_q8_pack_6__avxvnni, {4, 64, 4, 4}),
    GemmQ8<gemm_q8_6x16__avx2>("gemm_q8_6x16__avx2", kCpuAvx2Fma, 6, 16,
                               gemm_q8_pack_6__avx2, {2, 32, 2, 2}),
#elif defined(__aarch64__)
    GemmQ8<gemm_q8_6x16__i8mm>("gemm_q8_6x16__i8mm", kCpuI8mm | kCpuDotProd, 6,
                               16, gemm_q8_pack_6__dotprod, {8, 8, 8, 8}),
    GemmQ8<gemm_q8_6x16__dotprod>("gemm_q8_6x16__dotprod", kCpuDotProd, 6, 16,
                                  gemm_q8_pack_6__dotprod, {4, 8, 4, 4}),
    GemmQ8<gemm_q8_4x16__aarch64>("gemm_q8_4x16__aarch64", kCpuNeon, 4, 16,
                                  gemm_q8_pack_4__neon, {2, 2, 4, 4, -127}),
#endif
#if defined(__aarch64__) || defined(__arm__)
#if MACE_HAS_ARMV7_ROWS
    GemmQ8<gemm_q8_4x8__neon>("gemm_q8_4x8__neon", kCpuNeon, 4, 8,
                              gemm_q8_pack_4__neon, {2, 2, 4, 4, -127}),
#endif
    GemmQ8<gemm_q8_4x8_full__neon>("gemm_q8_4x8_full__neon", kCpuNeon, 4, 8,
                                   gemm_q8_pack_4__neon, {2, 2, 4, 4}),
#endif
#if MACE_HAS_SCALAR_ROWS
    GemmQ8<gemm_q8_4x8__scalar>("gemm_q8_4x8__scalar", 0, 4, 8,
                                gemm_q8_pack_4__scalar, {2, 2, 2, 2}),
#endif
#endif
};

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_TABLE_H_
