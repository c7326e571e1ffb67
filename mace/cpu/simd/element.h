// Element: the types that micro-kernels read, write and accumulate in.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_SIMD_ELEMENT_H_
#define MACE_CPU_SIMD_ELEMENT_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// The bits of a value, without arithmetic. Fp16 and Bf16 are types of their
// own, so that pointers to them are not confused with each other or with
// pointers to integers. mace/base/fp16.h converts their bits.
struct Fp16 {  // IEEE binary16
  uint16_t bits;
};
struct Bf16 {  // bfloat16: the upper half of a float
  uint16_t bits;
};

// Rows of tables give the types of their operands as these, and names of
// micro-kernels contain NameOf them. kQ8 is for micro-kernels of quantized
// values: int8, uint8 or both (their arguments tell which, where it matters),
// and stored int8 and int4 weights.
//
// The order is that of the arrays in SizeOf and NameOf.
enum class Element : uint8_t {
  kF32,
  kF16,
  kBf16,
  kQ8,
  kU8,
  kI8,
  kI16,
  kI32,
  // Blocks of 32 with a scale (gemm_blocks.h):
  kQ8Block,      // of a row of operand a, int8
  kQ4Block,      // of weights, int4
  kQ4ZeroBlock,  // of weights, int4 with a zero point
  kW8Block,      // of weights, int8
};

// Returns the Element of a C++ type: ElementOf<float>() is Element::kF32. Only
// the types below have one; kQ8 has no type, as it is int8_t or uint8_t.
template <typename T>
constexpr Element ElementOf();
template <>
constexpr Element ElementOf<float>() {
  return Element::kF32;
}
template <>
constexpr Element ElementOf<Fp16>() {
  return Element::kF16;
}
template <>
constexpr Element ElementOf<Bf16>() {
  return Element::kBf16;
}
template <>
constexpr Element ElementOf<uint8_t>() {
  return Element::kU8;
}
template <>
constexpr Element ElementOf<int8_t>() {
  return Element::kI8;
}
template <>
constexpr Element ElementOf<int16_t>() {
  return Element::kI16;
}
template <>
constexpr Element ElementOf<int32_t>() {
  return Element::kI32;
}
// Kernels that exist in fp16 but not in bfloat16 use uint16_t for its bits.
template <>
constexpr Element ElementOf<uint16_t>() {
  return Element::kF16;
}

// Returns the size of an element in bytes; for types of blocks, the size of a
// block of 32 elements: of Q8Block, Q4Block, Q4ZeroBlock or W8Block.
constexpr size_t SizeOf(Element element) {
  constexpr size_t kSizes[] = {4, 2, 2, 1, 1, 1, 2, 4, 44, 18, 20, 34};
  return kSizes[static_cast<size_t>(element)];
}

// Returns the name of a type within names of micro-kernels:
// gemm_f32_6x16__avx2.
constexpr const char* NameOf(Element element) {
  constexpr const char* kNames[] = {"f32", "f16", "bf16", "q8", "u8",  "i8",
                                    "i16", "i32", "q8b",  "q4", "q4z", "w8"};
  return kNames[static_cast<size_t>(element)];
}

}  // namespace mace::cpu

#endif  // MACE_CPU_SIMD_ELEMENT_H_
