// Makes orders by width, size, degree and area, with three focuses.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/search_orders.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "mace/base/sort.h"

namespace mace::memory {
namespace {

// xorshift64*, which gives the same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  // Returns a number in [0, n).
  int64_t Next(int64_t n) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<int64_t>((state_ * 0x2545f4914f6cdd1d >> 33) % n);
  }

 private:
  uint64_t state_;
};

constexpr int64_t kScale = 1000;
// The keys of varied orders change by up to this many thousandths.
constexpr int64_t kMaxNoise = 300;

constexpr SearchFocus kFocuses[] = {
    SearchFocus::kTightSection, SearchFocus::kTightItem, SearchFocus::kFailing};

}  // namespace

SearchOrders::SearchOrders(const SearchInstance& in) : in_(in) {
  std::vector<int64_t> load(in.num_sections, 0);
  for (const SearchInstance::Item& item : in.items) {
    for (int32_t s = item.begin; s < item.end; ++s) load[s] += item.size;
  }
  for (const SearchInstance::Item& item : in.items) {
    const int64_t width = item.end - item.begin;
    keys_.push_back(
        {width, width * item.size,
         *std::max_element(load.begin() + item.begin, load.begin() + item.end),
         item.size, static_cast<int64_t>(item.neighbours.size())});
  }
}

SearchOrder SearchOrders::Get(int index) const {
  const size_t n = keys_.size();
  Random random(index);
  const int64_t noise = index < kNumOrders ? 0 : random.Next(kMaxNoise);
  // The keys by which items are ordered, the most important first.
  static constexpr int64_t Keys::* kOrders[][3] = {
      {&Keys::width, &Keys::area, &Keys::peak},
      {&Keys::size, &Keys::area, &Keys::peak},
      {&Keys::degree, &Keys::degree, &Keys::degree},
      {&Keys::area, &Keys::width, &Keys::peak},
  };
  const auto& order = kOrders[index / 3 % 4];
  std::vector<std::array<int64_t, 3>> values(n);
  for (size_t i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int64_t factor =
          noise == 0 ? kScale : kScale + random.Next(2 * noise + 1) - noise;
      values[i][k] = keys_[i].*order[k] * factor;
    }
  }
  std::vector<int32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  StableSort(&ids, [&](int32_t a, int32_t b) { return values[a] > values[b]; });
  SearchOrder result;
  result.focus = kFocuses[index % 3];
  result.rank.resize(n);
  for (size_t i = 0; i < n; ++i) {
    result.rank[ids[i]] = static_cast<int32_t>(n - i);
  }
  return result;
}

}  // namespace mace::memory
