// The binary micro-kernels of fp16: the same loops as for floats.
// SPDX-License-Identifier: Apache-2.0
//
// simd__fp16.cc includes it for armv8.2, where vectors have 8 elements, and
// simd__scalar.cc for all other CPUs, where they have one.
#ifndef MACE_CPU_UKERNELS_BINARY_BINARY_F16_LOOP_H_
#define MACE_CPU_UKERNELS_BINARY_BINARY_F16_LOOP_H_

#include "mace/cpu/simd/f16.h"

namespace mace::cpu {
namespace {

// Returns a vector with `value`, the bits of an fp16 value, in all lanes. Must
// precede the templates of binary_f32_loop.h, which call it.
inline simd::F16 One(uint16_t value) {
  uint16_t lanes[simd::kFp16Lanes];
  for (uint16_t& lane : lanes) lane = value;
  return simd::Load(lanes);
}

}  // namespace
}  // namespace mace::cpu

#include "mace/cpu/ukernels/binary/binary_f32_loop.h"

namespace mace::cpu {
namespace {

// In the order of BinarySet. Null for divide, min and max, which Eltwise
// computes in float32.
constexpr BinaryF16Set kFp16Functions = {Binary<AddOf, uint16_t>,
                                         Binary<SubtractOf, uint16_t>,
                                         Binary<MultiplyOf, uint16_t>,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         Binary<SquaredDifferenceOf, uint16_t>};
constexpr BinaryF16One kFp16Add = {Binary<AddOf, uint16_t>};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_BINARY_BINARY_F16_LOOP_H_
