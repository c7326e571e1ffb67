// Every GEMM micro-kernel of int8 that this CPU can run, with exact results.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/cpu/ukernels/testing/pack_rows.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  size_t m, n, k, segments;
  bool bias = false, add = false;
};

std::vector<int8_t> RandomBytes(size_t n) {
  std::minstd_rand random(static_cast<uint32_t>(n));
  std::uniform_int_distribution<int> all(-128, 127);
  std::vector<int8_t> bytes(n);
  for (int8_t& byte : bytes) byte = static_cast<int8_t>(all(random));
  return bytes;
}

void Check(const GemmUkernel& kernel, const Case& c) {
  SCOPED_TRACE(std::to_string(c.m) + "x" + std::to_string(c.n) + "x" +
               std::to_string(c.segments * c.k));
  const size_t depth = c.k * c.segments, nr = kernel.nr;
  const size_t group = kernel.packing.group, c_stride = c.n + 2;
  const size_t segment_stride = c.k + 1, a_stride = 3;
  const auto a = RandomBytes((c.m - 1) * a_stride +
                             (c.segments - 1) * segment_stride + c.k);
  const auto b = RandomBytes(depth * c.n);
  std::vector<int8_t> b_packed((depth + group - 1) / group * group * nr);
  for (size_t k = 0; k < depth; ++k) {
    for (size_t j = 0; j < c.n; ++j) {
      b_packed[(k / group * nr + j) * group + k % group] = b[k * c.n + j];
    }
  }
  const auto a_packed =
      PackedRows(kernel,
                 {c.m, c.k, c.segments, static_cast<ptrdiff_t>(a_stride),
                  static_cast<ptrdiff_t>(segment_stride)},
                 a.data());
  const std::vector<int32_t> bias(c.n, 1 << 20);
  std::vector<int32_t> got(c.m * c_stride, -77);
  kernel.fn({c.m, c.n, depth, 1, a_packed.data(), 0, 0, b_packed.data(),
             got.data(), static_cast<ptrdiff_t>(c_stride),
             c.bias ? bias.data() : nullptr, c.add ? got.data() : nullptr,
             static_cast<ptrdiff_t>(c_stride), 0, 0, true});
  for (size_t i = 0; i < c.m; ++i) {
    for (size_t j = 0; j < c_stride; ++j) {
      int32_t want = -77;  // the guard value
      if (j < c.n) {
        want = (c.bias ? bias[j] : 0) + (c.add ? -77 : 0);
        for (size_t k = 0; k < depth; ++k) {
          want += a[i * a_stride + k / c.k * segment_stride + k % c.k] *
                  b[k * c.n + j];
        }
      }
      ASSERT_EQ(got[i * c_stride + j], want) << "row " << i << " column " << j;
    }
  }
}

TEST(GemmI8, EverySize) {
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmI8) || !RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    const auto mr = static_cast<size_t>(kernel.mr);
    const auto nr = static_cast<size_t>(kernel.nr);
    for (size_t m = 1; m <= 3 * mr + 1; ++m) {
      for (size_t n = 1; n <= nr; ++n) {
        Check(kernel, {m, n, 7, 2});
        Check(kernel, {m, n, 5, 1, true, true});
      }
    }
    for (size_t k = 1; k <= 40; ++k) Check(kernel, {mr, nr, k, 3, true});
  }
}

}  // namespace
}  // namespace mace::cpu
