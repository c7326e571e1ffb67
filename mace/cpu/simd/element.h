// Element: the types of what micro-kernels read, write and add up in.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_SIMD_ELEMENT_H_
#define MACE_CPU_SIMD_ELEMENT_H_

#include <cstddef>
#include <cstdint>

namespace mace::cpu {

// The bits of a value: types of their own, so that a pointer to one is neither
// a pointer to the other nor one to integers.
struct Fp16 {  // IEEE binary16
  uint16_t bits;
};
struct Bf16 {  // bfloat16
  uint16_t bits;
};

enum class Element : uint8_t { kF32, kF16, kBf16, kI8, kI32 };

// By type: ElementOf<float>() is Element::kF32.
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
constexpr Element ElementOf<int8_t>() {
  return Element::kI8;
}
template <>
constexpr Element ElementOf<int32_t>() {
  return Element::kI32;
}
// Families without bfloat16 take fp16 as its bits.
template <>
constexpr Element ElementOf<uint16_t>() {
  return Element::kF16;
}

constexpr size_t SizeOf(Element element) {
  return element == Element::kI8                                 ? 1
         : element == Element::kF16 || element == Element::kBf16 ? 2
                                                                 : 4;
}

constexpr const char* NameOf(Element element) {
  constexpr const char* kNames[] = {"f32", "f16", "bf16", "i8", "i32"};
  return kNames[static_cast<size_t>(element)];
}

}  // namespace mace::cpu

#endif  // MACE_CPU_SIMD_ELEMENT_H_
