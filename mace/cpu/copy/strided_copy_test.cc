// Strided copies, against a copy of one element at a time.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace mace {
namespace {

// Returns a random number in [lo, hi].
int64_t Draw(std::mt19937& rng, int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(rng() % static_cast<uint64_t>(hi - lo + 1));
}

// A random box that reads a dense source in any order (or repeats or reverses
// it) and writes a dense destination.
CopyBox RandomBox(std::mt19937& rng, int64_t elem_bytes, Shape* src) {
  const int rank = static_cast<int>(Draw(rng, 1, 5));
  const int64_t most = rank < 3 ? 150 : 14;
  src->clear();
  for (int d = 0; d < rank; ++d) src->push_back(Draw(rng, 1, most));
  const std::vector<int64_t> strides = DenseStrides(*src);
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  Shape extents;
  std::vector<int64_t> from;
  int64_t offset = 0;
  for (int d : order) {
    const int64_t extent = (*src)[d];
    extents.push_back(extent);
    from.push_back(strides[d]);
    switch (Draw(rng, 0, 5)) {
      case 0:  // reversed
        offset += (extent - 1) * strides[d];
        from.back() = -strides[d];
        break;
      case 1:  // the first one repeated
        from.back() = 0;
        break;
      case 2:  // every other one
        extents.back() = (extent + 1) / 2;
        from.back() = 2 * strides[d];
        break;
    }
  }
  return MakeBox(static_cast<size_t>(elem_bytes), extents, from, offset,
                 DenseStrides(extents), 0);
}

TEST(StridedCopy, RandomBoxesAsTheTwin) {
  std::mt19937 rng(1);
  auto one = ThreadPool::Create(1), three = ThreadPool::Create(3);
  ASSERT_TRUE(one.ok() && three.ok());
  for (int round = 0; round < 600; ++round) {
    const int64_t elem_bytes = int64_t{1} << Draw(rng, 0, 3);
    Shape shape;
    const CopyBox box = RandomBox(rng, elem_bytes, &shape);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + ToString(shape) +
                 " x " + std::to_string(elem_bytes) + " bytes");
    std::vector<uint8_t> src(NumElements(shape) * elem_bytes);
    for (uint8_t& byte : src) byte = static_cast<uint8_t>(rng());
    std::vector<uint8_t> want(box.bytes(), 0xcd);
    CopyNaive(box, src.data(), want.data());
    for (auto* threads : {&one, &three}) {
      std::vector<uint8_t> got(box.bytes(), 0xcd);
      CopyStrided(Simplify(box), src.data(), got.data(), (*threads)->get());
      ASSERT_EQ(got, want);
    }
  }
}

// Long enough for several tasks, with sides that no block divides, and lines
// that compete for a set of the cache.
TEST(StridedCopy, LargeTransposes) {
  auto threads = ThreadPool::Create(2);
  ASSERT_TRUE(threads.ok());
  for (const Shape& shape : std::vector<Shape>{{3, 50001},
                                               {50001, 3},
                                               {301, 299},
                                               {7, 65, 515},
                                               {1, 9000},
                                               {21, 2560},
                                               {2560, 21}}) {
    for (int64_t elem_bytes : {1, 2, 4, 8}) {
      SCOPED_TRACE(ToString(shape) + " x " + std::to_string(elem_bytes));
      Shape extents(shape.rbegin(), shape.rend());
      std::vector<int64_t> from = DenseStrides(shape);
      std::reverse(from.begin(), from.end());
      const CopyBox box = MakeBox(static_cast<size_t>(elem_bytes), extents,
                                  from, 0, DenseStrides(extents), 0);
      std::vector<uint8_t> src(box.bytes()), want(box.bytes());
      for (size_t i = 0; i < src.size(); ++i) {
        src[i] = static_cast<uint8_t>(i * 31 + i / 251);
      }
      std::vector<uint8_t> got = want;
      CopyNaive(box, src.data(), want.data());
      CopyStrided(Simplify(box), src.data(), got.data(), threads->get());
      EXPECT_TRUE(got == want);
    }
  }
}

// Two groups of channels are interleaved or separated, for all of a few pixels.
TEST(StridedCopy, ChannelShuffles) {
  auto threads = ThreadPool::Create(1);
  ASSERT_TRUE(threads.ok());
  for (int64_t n = 1; n <= 70; ++n) {
    for (int64_t elem_bytes : {1, 2, 4, 8}) {
      for (const bool together : {true, false}) {
        SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(elem_bytes));
        const Shape extents = together ? Shape{5, n, 2} : Shape{5, 2, n};
        const std::vector<int64_t> from =
            together ? std::vector<int64_t>{2 * n, 1, n}
                     : std::vector<int64_t>{2 * n, 1, 2};
        const CopyBox box = MakeBox(static_cast<size_t>(elem_bytes), extents,
                                    from, 0, DenseStrides(extents), 0);
        std::vector<uint8_t> src(box.bytes()), want(box.bytes());
        for (size_t i = 0; i < src.size(); ++i) {
          src[i] = static_cast<uint8_t>(i * 31 + i / 251);
        }
        std::vector<uint8_t> got = want;
        CopyNaive(box, src.data(), want.data());
        CopyStrided(Simplify(box), src.data(), got.data(), threads->get());
        ASSERT_EQ(got, want);
      }
    }
  }
}

TEST(StridedCopy, RunsOfEveryLength) {
  auto threads = ThreadPool::Create(1);
  ASSERT_TRUE(threads.ok());
  for (int64_t run = 1; run <= 140; ++run) {
    SCOPED_TRACE(run);
    CopyBox box;
    box.run_bytes = run;
    box.dims = {{7, run + 3, run + 5}};
    std::vector<uint8_t> src(7 * (run + 3)), want(7 * (run + 5), 0xcd);
    for (size_t i = 0; i < src.size(); ++i) {
      src[i] = static_cast<uint8_t>(i * 31 + i / 251);
    }
    std::vector<uint8_t> got = want;
    CopyNaive(box, src.data(), want.data());
    CopyStrided(box, src.data(), got.data(), threads->get());
    ASSERT_EQ(got, want);
  }
}

TEST(StridedCopy, SimplifyMerges) {
  // A whole copy of [2,3,4] is a single run.
  const Shape shape = {2, 3, 4};
  CopyBox box = Simplify(
      MakeBox(4, shape, DenseStrides(shape), 0, DenseStrides(shape), 0));
  EXPECT_TRUE(box.dims.empty());
  EXPECT_EQ(box.run_bytes, 96);
  // The last two channels are runs of 8 bytes, 16 bytes apart.
  box = Simplify(MakeBox(4, {2, 3, 2}, {12, 4, 1}, 2, {6, 2, 1}, 0));
  ASSERT_EQ(box.dims.size(), 1u);
  EXPECT_EQ(box.dims[0].extent, 6);
  EXPECT_EQ(box.dims[0].src_stride, 16);
  EXPECT_EQ(box.run_bytes, 8);
  // A box without elements.
  EXPECT_EQ(Simplify(MakeBox(4, {2, 0}, {1, 1}, 0, {1, 1}, 0)).bytes(), 0);
}

}  // namespace
}  // namespace mace
