// Loops over a row in whole vectors and one partial vector.
// SPDX-License-Identifier: Apache-2.0
//
// A step of a loop is written once, as a function of `access`, and compiled
// twice: with Whole for all vectors but the last, where a load is one
// instruction, and with Part for the elements that are left. LoadN fills the
// other lanes with zeros; a step that sums over lanes must not add what it
// computes from these zeros.
#ifndef MACE_CPU_UKERNELS_ROW_ROW_F32_ACCESS_H_
#define MACE_CPU_UKERNELS_ROW_ROW_F32_ACCESS_H_

#include "mace/cpu/simd/simd.h"

namespace mace::cpu {
namespace {

using simd::F32;
using simd::kLanes;
using simd::Set1;

// Whole loads and stores whole vectors, Part the first `n` elements of one, n
// in [1, kLanes).
struct Whole {
  F32 Load(const float* p) const { return simd::Load(p); }
  void Store(float* p, F32 v) const { simd::Store(p, v); }
};
struct Part {
  size_t n;
  F32 Load(const float* p) const { return simd::LoadN(p, n); }
  void Store(float* p, F32 v) const { simd::StoreN(p, v, n); }
};

// Calls step(i, access) for each vector of a row of n elements, where i is the
// index of the vector's first element; the last vector may be partial.
template <typename Step>
void ForEachVector(size_t n, const Step& step) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) step(i, Whole());
  if (i < n) step(i, Part{n - i});
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ROW_ROW_F32_ACCESS_H_
