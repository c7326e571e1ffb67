// Computes units, sections and neighbours.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/search_instance.h"

#include <algorithm>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/memory/problem/relations.h"

namespace mace::memory {
namespace {

int64_t UnitOf(const Problem& p) {
  bool aligned = false;
  for (const Record& r : p.records) aligned |= r.alignment > 1;
  int64_t unit = 0;
  for (const Record& r : p.records) {
    unit = std::gcd(unit, r.size.extent[0]);
    // If nothing is aligned, every offset is a sum of sizes.
    if (aligned) unit = std::gcd(unit, r.alignment);
    if (r.fixed_offset != kNoOffset) unit = std::gcd(unit, r.fixed_offset);
    for (const Overlap& o : r.overlaps) {
      if (o.safe_distance != Overlap::kAnyDistance) {
        unit = std::gcd(unit, o.safe_distance);
      }
    }
  }
  return std::max<int64_t>(unit, 1);
}

// Returns the points in time at which sections begin, ascending, and the end of
// the last one.
std::vector<int64_t> CutsOf(const Problem& p) {
  std::vector<int64_t> cuts;
  for (const Record& r : p.records) {
    cuts.push_back(r.first);
    cuts.push_back(r.last + 1);
  }
  StableSort(&cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

int32_t IndexOf(const std::vector<int64_t>& cuts, int64_t at) {
  return static_cast<int32_t>(std::lower_bound(cuts.begin(), cuts.end(), at) -
                              cuts.begin());
}

class Maker {
 public:
  explicit Maker(const Problem& p) : p_(p), relations_(p) {
    in_.unit = UnitOf(p);
  }

  SearchInstance Make() {
    MakeItems();
    for (size_t i = 0; i < in_.items.size(); ++i) {
      for (size_t j = i + 1; j < in_.items.size(); ++j) {
        Relate(static_cast<int32_t>(i), static_cast<int32_t>(j));
      }
      AddObstacles(&in_.items[i]);
    }
    in_.slack.assign(in_.num_sections, 0);
    for (const SearchInstance::Item& item : in_.items) {
      for (int32_t s = item.begin; s < item.end; ++s) {
        in_.slack[s] = std::max(in_.slack[s], item.padded - item.size);
      }
    }
    return std::move(in_);
  }

 private:
  void MakeItems() {
    const std::vector<int64_t> cuts = CutsOf(p_);
    in_.num_sections = std::max<int32_t>(cuts.size(), 1) - 1;
    int64_t least = 0;
    for (const Record& r : p_.records) {
      least = least == 0 ? r.alignment : std::min(least, r.alignment);
    }
    for (size_t i = 0; i < p_.records.size(); ++i) {
      const Record& r = p_.records[i];
      if (r.fixed_offset != kNoOffset) continue;
      SearchInstance::Item item;
      item.record = static_cast<int32_t>(i);
      item.size = r.size.extent[0] / in_.unit;
      item.alignment = std::max<int64_t>(r.alignment / in_.unit, 1);
      // With overlaps, items need not begin where the one below them ends.
      item.padded =
          relations_.any()
              ? item.size
              : AlignUp(item.size, std::max<int64_t>(least / in_.unit, 1));
      item.begin = IndexOf(cuts, r.first);
      item.end = IndexOf(cuts, r.last + 1);
      in_.items.push_back(std::move(item));
    }
    if (relations_.any()) in_.savings.resize(in_.items.size());
  }

  void Relate(int32_t i, int32_t j) {
    SearchInstance::Item& a = in_.items[i];
    SearchInstance::Item& b = in_.items[j];
    if (a.begin >= b.end || b.begin >= a.end) return;
    if (relations_.any(a.record)) {
      const Relations::Gap gap = relations_.Between(a.record, b.record);
      Link(i, j, gap);
      if (gap.empty()) return;
    }
    a.neighbours.push_back(j);
    b.neighbours.push_back(i);
  }

  // Adds a declared overlap, if there is one.
  void Link(int32_t i, int32_t j, const Relations::Gap& gap) {
    SearchInstance::Item& a = in_.items[i];
    SearchInstance::Item& b = in_.items[j];
    const int64_t shared = relations_.MostShared(a.record, b.record) / in_.unit;
    if (shared == 0) return;
    for (int32_t s = std::max(a.begin, b.begin); s < std::min(a.end, b.end);
         ++s) {
      in_.savings[i].push_back({s, shared});
    }
    if (gap.empty()) return;
    // The search places items by ascending offset, so it cannot use an overlap
    // where the item that is placed later begins lower.
    if (gap.low > 0 || gap.high < 0) in_.narrowed = true;
    const int64_t low = std::min<int64_t>(gap.low, 0) / in_.unit;
    const int64_t high = std::max<int64_t>(gap.high, 0) / in_.unit;
    a.links.push_back({j, low, high});
    b.links.push_back({i, -high, -low});
  }

  void AddObstacles(SearchInstance::Item* item) {
    const Record& r = p_.records[item->record];
    for (size_t k = 0; k < p_.records.size(); ++k) {
      const Record& fixed = p_.records[k];
      if (fixed.fixed_offset == kNoOffset || !LiveTogether(r, fixed)) continue;
      const Relations::Gap gap =
          relations_.Between(static_cast<int32_t>(k), item->record);
      if (gap.empty()) continue;
      item->obstacles.push_back({(fixed.fixed_offset + gap.low) / in_.unit,
                                 (fixed.fixed_offset + gap.high) / in_.unit});
    }
    StableSort(&item->obstacles,
               [](const auto& a, const auto& b) { return a.low < b.low; });
  }

  const Problem& p_;
  const Relations relations_;
  SearchInstance in_;
};

}  // namespace

SearchInstance MakeSearchInstance(const Problem& problem) {
  return Maker(problem).Make();
}

}  // namespace mace::memory
