// Every micro-kernel of rows of KV caches that this CPU can run, against sums
// in double precision.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "mace/base/fp16.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32_table.h"
#include "mace/cpu/ukernels/testing/random_floats.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

// Rows with some bytes between them, and the floats for which they stand.
struct Rows {
  Rows(KvType type, size_t n, size_t depth) : floats(n * depth) {
    constexpr size_t kSizes[] = {4, 2, 1};
    row_bytes = depth * kSizes[type] + 8;
    bytes.assign(n * row_bytes, 0x7f);
    const std::vector<float> x = RandomFloats(n * depth);
    for (size_t i = 0; i < x.size(); ++i) {
      uint8_t* row = bytes.data() + i / depth * row_bytes;
      const size_t e = i % depth;
      if (type == kKvF32) {
        floats[i] = x[i];
        std::memcpy(row + 4 * e, &x[i], 4);
      } else if (type == kKvFp16) {
        // Some are denormals.
        const uint16_t half = ToFp16(i % 5 == 0 ? x[i] * 1e-5f : x[i]);
        floats[i] = FromFp16(half);
        std::memcpy(row + 2 * e, &half, 2);
      } else {
        const float scale = 0.01f * static_cast<float>(i / depth + 1);
        const auto value = static_cast<int8_t>(x[i] * 127);
        floats[i] = scale * static_cast<float>(value);
        row[e] = static_cast<uint8_t>(value);
        std::memcpy(row + depth, &scale, 4);
      }
    }
    bytes.resize((n - 1) * row_bytes + depth * kSizes[type] +
                 (type == kKvInt8 ? 4 : 0));
  }

  size_t row_bytes;
  std::vector<uint8_t> bytes;
  std::vector<float> floats;
};

void Check(const KvRowsF32Kernel& kernel, KvType type, size_t n, size_t depth,
           size_t queries) {
  SCOPED_TRACE(std::string(kernel.name) + " " + std::to_string(type) + " " +
               std::to_string(n) + "x" + std::to_string(depth) + " " +
               std::to_string(queries));
  const Rows rows(type, n, depth);
  const auto x = RandomFloats(queries * depth), w = RandomFloats(queries * n);
  std::vector<float> dots((queries - 1) * (n + 3) + n, 9);
  KvRowsF32 a{};
  a.n = n;
  a.depth = depth;
  a.queries = queries;
  a.rows = rows.bytes.data();
  a.row_bytes = static_cast<ptrdiff_t>(rows.row_bytes);
  a.x = x.data();
  a.x_stride = static_cast<ptrdiff_t>(depth);
  a.y = dots.data();
  a.y_stride = static_cast<ptrdiff_t>(n + 3);
  kernel.set->dot[type](a);
  const auto begin = RandomFloats(queries * depth);
  std::vector<float> sums = begin;
  a.x = w.data();
  a.x_stride = static_cast<ptrdiff_t>(n);
  a.y = sums.data();
  a.y_stride = static_cast<ptrdiff_t>(depth);
  kernel.set->add[type](a);
  for (size_t q = 0; q < queries; ++q) {
    for (size_t t = 0; t < n; ++t) {
      double want = 0;
      for (size_t e = 0; e < depth; ++e) {
        want += double{x[q * depth + e]} * rows.floats[t * depth + e];
      }
      ASSERT_NEAR(dots[q * (n + 3) + t], want, 1e-5 * (1 + std::fabs(want)));
    }
    for (size_t e = 0; e < depth; ++e) {
      double want = begin[q * depth + e];
      for (size_t t = 0; t < n; ++t) {
        want += double{w[q * n + t]} * rows.floats[t * depth + e];
      }
      ASSERT_NEAR(sums[q * depth + e], want, 1e-5 * (1 + std::fabs(want)));
    }
  }
}

TEST(KvRowsF32, EverySize) {
  for (const KvRowsF32Kernel& kernel : kKvRowsF32) {
    if (!RunsHere(kernel)) continue;
    for (const KvType type : {kKvF32, kKvFp16, kKvInt8}) {
      for (const size_t depth : {1, 7, 15, 16, 17, 33, 64, 128}) {
        for (const size_t queries : {1, 2, 3, 4, 5, 9}) {
          Check(kernel, type, depth % 5 + 1, depth, queries);
        }
      }
      Check(kernel, type, 64, 64, 3);
    }
  }
}

}  // namespace
}  // namespace mace::cpu
