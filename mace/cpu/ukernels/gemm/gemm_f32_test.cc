// Every GEMM micro-kernel of floats that this CPU can run, for every size of a
// tile.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/cpu/ukernels/testing/pack_rows.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

struct Case {
  int m, n, k, segments;
  bool add, bias;
  bool packed = false;
  bool in_place = false;  // the addend is c
};

// The rows of a overlap, as those of a convolution do. Each row of c is
// followed by guard values.
void Check(const GemmUkernel& kernel, const Case& c) {
  const int a_stride = 2, segment_stride = c.k + 3, guard = 2;
  const int c_stride = c.n + guard;
  const auto a = RandomFloats((c.m - 1) * a_stride +
                              (c.segments - 1) * segment_stride + c.k);
  const auto b = RandomFloats(c.segments * c.k * kernel.nr);
  const auto bias = RandomFloats(c.n);
  const auto before = RandomFloats(c.m * c_stride);
  auto got = before;
  const int addend_stride = c.n + 1;
  const auto addend = RandomFloats(c.m * addend_stride);
  const auto m = static_cast<size_t>(c.m), depth = static_cast<size_t>(c.k);
  const auto segments = static_cast<size_t>(c.segments);
  std::vector<uint8_t> packed;
  if (c.packed) {
    packed = PackedRows(kernel, {m, depth, segments, a_stride, segment_stride},
                        a.data());
  }
  const void* rows = a.data();
  kernel.fn({m, static_cast<size_t>(c.n), depth, segments,
             c.packed ? packed.data() : rows, a_stride, segment_stride,
             b.data(), got.data(), c_stride, c.bias ? bias.data() : nullptr,
             !c.add       ? nullptr
             : c.in_place ? got.data()
                          : addend.data(),
             c.in_place ? c_stride : addend_stride, -0.5f, 1.5f, c.packed});
  for (int i = 0; i < c.m; ++i) {
    for (int j = 0; j < c_stride; ++j) {
      const int at = i * c_stride + j;
      if (j >= c.n) {
        ASSERT_EQ(got[at], before[at]) << "wrote behind row " << i;
        continue;
      }
      double want = c.bias ? bias[j] : 0;
      if (c.add)
        want += c.in_place ? before[at] : addend[i * addend_stride + j];
      for (int s = 0; s < c.segments; ++s) {
        for (int k = 0; k < c.k; ++k) {
          want += double{a[i * a_stride + s * segment_stride + k]} *
                  b[(s * c.k + k) * kernel.nr + j];
        }
      }
      ASSERT_NEAR(got[at], std::fmin(std::fmax(want, -0.5), 1.5), 1e-5)
          << "row " << i << " column " << j;
    }
  }
}

// Checks with rows as they are and, if the micro-kernel can, with packed rows.
void CheckBoth(const GemmUkernel& kernel, Case c) {
  Check(kernel, c);
  if (c.add) {
    c.in_place = true;
    Check(kernel, c);
  }
  c.packed = true;
  if (kernel.pack != nullptr) Check(kernel, c);
}

TEST(GemmF32, EverySize) {
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmF32) || !RunsHere(kernel)) continue;
    for (int m = 1; m <= kernel.mr; ++m) {
      for (int n = 1; n <= kernel.nr; ++n) {
        SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(m) + "x" +
                     std::to_string(n));
        CheckBoth(kernel, {m, n, 7, 2, true, true});
      }
    }
  }
}

TEST(GemmF32, ManyPackedTiles) {
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmF32) || !RunsHere(kernel)) continue;
    if (kernel.pack == nullptr) continue;
    SCOPED_TRACE(kernel.name);
    for (const int m : {3 * kernel.mr, 3 * kernel.mr + 1}) {
      for (const int n : {kernel.nr, kernel.nr - 1}) {
        Check(kernel, {m, n, 11, 2, false, true, true});
        Check(kernel, {m, n, 11, 2, true, true, true});
      }
    }
  }
}

TEST(GemmF32, EveryDepth) {
  for (const GemmUkernel& kernel : kGemm) {
    if (!(kernel.types == kGemmF32) || !RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (int k = 1; k <= 21; ++k) {
      for (int segments : {1, 3}) {
        CheckBoth(kernel, {kernel.mr, kernel.nr, k, segments, false, false});
        CheckBoth(kernel, {kernel.mr, kernel.nr - 1, k, segments, true, true});
      }
    }
  }
}

}  // namespace
}  // namespace mace::cpu
