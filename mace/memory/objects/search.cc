// The branch and bound that the header describes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/objects/search.h"

#include <algorithm>
#include <limits>

#include "mace/base/sort.h"
#include "mace/memory/problem/bounds.h"

namespace mace::memory {
namespace {

constexpr int kBits = 64;

Size Cover(const Size& a, const Size& b) {
  Size cover = a;
  for (int k = 0; k < 4; ++k) {
    cover.extent[k] = std::max(a.extent[k], b.extent[k]);
  }
  return cover;
}

}  // namespace

ObjectsSearch::ObjectsSearch(const Problem& p)
    : p_(p), n_(static_cast<int32_t>(p.records.size())) {
  neighbours_.resize(n_);
  for (int32_t i = 0; i < n_; ++i) {
    bytes_.push_back(Bytes(p, p.records[i].size));
    for (int32_t j = 0; j < i; ++j) {
      if (!LiveTogether(p.records[i], p.records[j])) continue;
      neighbours_[i].push_back(j);
      neighbours_[j].push_back(i);
    }
  }
  for (Profile& profile : Profiles(p)) {
    live_.push_back(std::move(profile.records));
  }
}

bool ObjectsSearch::Run(const std::vector<int32_t>& order, int64_t limit,
                        int64_t max_nodes, bool frugal, SearchBudget* budget) {
  frugal_ = frugal;
  order_ = order.data();
  budget_ = budget;
  nodes_left_ = max_nodes;
  complete_ = true;
  found_ = false;
  best_total_ = limit;
  objects_.clear();
  ids_.assign(n_, kNone);
  homes_.assign(n_, 0);
  users_.clear();
  payers_.clear();
  conflict_.assign(n_ / kBits + 1, 0);
  Branch(0, 0);
  return complete_;
}

// Sets conflict_ to the assignments that rule out a better plan from here on.
void ObjectsSearch::Branch(size_t depth, int64_t total) {
  if (!budget_->Spend() || --nodes_left_ < 0) {
    complete_ = false;
    return;
  }
  std::fill(conflict_.begin(), conflict_.end(), 0);
  if (depth == static_cast<size_t>(n_)) {
    NoteBest(total);
    return AddPayers();
  }
  if (total + Bound() >= best_total_) return ExplainBound();
  const int32_t record = order_[depth];
  std::vector<Word> conflict(conflict_.size(), 0);
  // Adds the causes of the failed branch. Returns false if this record is not
  // among them.
  const auto learn = [&] {
    const Word bit = Word{1} << record % kBits;
    if ((conflict_[record / kBits] & bit) == 0) return false;
    for (size_t w = 0; w < conflict.size(); ++w) conflict[w] |= conflict_[w];
    conflict[record / kBits] &= ~bit;
    return true;
  };
  for (const Choice& choice : Choices(record)) {
    if (!complete_) return;
    if (total + choice.growth >= best_total_) break;
    const Object before = objects_[choice.object];
    objects_[choice.object].size = Cover(before.size, p_.records[record].size);
    objects_[choice.object].bytes += choice.growth;
    Try(depth, total + choice.growth, choice.object, choice.growth > 0);
    objects_[choice.object] = before;
    if (!complete_ || !learn()) return;
  }
  if (total + bytes_[record] < best_total_) {
    TryNew(depth, total);
    if (!complete_ || !learn()) return;
  }
  conflict_ = std::move(conflict);
  ExplainNoHome(record);
  AddPayers();
}

void ObjectsSearch::TryNew(size_t depth, int64_t total) {
  const int32_t record = order_[depth];
  const auto object = static_cast<int32_t>(objects_.size());
  objects_.push_back({p_.records[record].size, bytes_[record]});
  users_.resize(objects_.size() * n_, 0);
  for (int32_t r = 0; r < n_; ++r) ++homes_[r];
  Try(depth, total + bytes_[record], object, true);
  for (int32_t r = 0; r < n_; ++r) --homes_[r];
  users_.resize(object * n_);
  objects_.pop_back();
}

void ObjectsSearch::Try(size_t depth, int64_t total, int32_t object,
                        bool pays) {
  const int32_t record = order_[depth];
  if (pays) payers_.push_back(record);
  Assign(record, object);
  Branch(depth + 1, total);
  Unassign(record, object);
  if (pays) payers_.pop_back();
}

void ObjectsSearch::AddPayers() {
  for (int32_t r : payers_) conflict_[r / kBits] |= Word{1} << r % kBits;
}

// For each object that `record` cannot join, adds a record that prevents it.
void ObjectsSearch::ExplainNoHome(int32_t record) {
  std::vector<bool> seen(objects_.size(), false);
  for (int32_t other : neighbours_[record]) {
    const int32_t object = ids_[other];
    if (object == kNone || seen[object]) continue;
    seen[object] = true;
    conflict_[other / kBits] |= Word{1} << other % kBits;
  }
}

// Adds the records that made objects grow; and, for each step that needs a new
// object, the records that have objects at it and those that prevent others
// from having one.
void ObjectsSearch::ExplainBound() {
  AddPayers();
  for (size_t k = 0; k < needed_.size(); ++k) {
    if (k > 0 && needed_step_[k] == needed_step_[k - 1]) continue;
    for (int32_t r : live_[needed_step_[k]]) {
      if (ids_[r] != kNone) {
        conflict_[r / kBits] |= Word{1} << r % kBits;
      } else if (homes_[r] == 0) {
        ExplainNoHome(r);
      }
    }
  }
}

void ObjectsSearch::Assign(int32_t record, int32_t object) {
  ids_[record] = object;
  for (int32_t other : neighbours_[record]) {
    if (++*users(object, other) == 1) --homes_[other];
  }
}

void ObjectsSearch::Unassign(int32_t record, int32_t object) {
  ids_[record] = kNone;
  for (int32_t other : neighbours_[record]) {
    if (--*users(object, other) == 0) ++homes_[other];
  }
}

// Returns the objects that the record can join: first those that grow least,
// then those whose other records are nearest in time.
std::vector<ObjectsSearch::Choice> ObjectsSearch::Choices(
    int32_t record) const {
  std::vector<Choice> choices;
  const Size& size = p_.records[record].size;
  for (size_t o = 0; o < objects_.size(); ++o) {
    const auto object = static_cast<int32_t>(o);
    if (users(object, record) > 0) continue;
    const Size cover = Cover(objects_[o].size, size);
    const int64_t growth = Bytes(p_, cover) - objects_[o].bytes;
    bool fits = !frugal_ || growth < bytes_[record];
    // An image must not exceed the limits of the device.
    for (int k = 0; k < size.rank && size.rank > 1 && size.rank < 4; ++k) {
      fits = fits && cover.extent[k] <= p_.max_extents[k];
    }
    if (!fits) continue;
    choices.push_back({object, growth, GapTo(object, record)});
  }
  StableSort(&choices, [](const Choice& a, const Choice& b) {
    return a.growth != b.growth ? a.growth < b.growth : a.gap < b.gap;
  });
  return choices;
}

int64_t ObjectsSearch::GapTo(int32_t object, int32_t record) const {
  const Record& r = p_.records[record];
  int64_t gap = std::numeric_limits<int64_t>::max();
  for (int32_t i = 0; i < n_; ++i) {
    if (ids_[i] != object) continue;
    const Record& other = p_.records[i];
    gap = std::min(gap, other.last < r.first ? r.first - other.last
                                             : other.first - r.last);
  }
  return gap;
}

// Returns the least bytes of new objects that the records without one need.
int64_t ObjectsSearch::Bound() {
  needed_.clear();
  needed_step_.clear();
  for (size_t t = 0; t < live_.size(); ++t) {
    const std::vector<int32_t>& live = live_[t];
    size_t open = 0;   // records without an object
    size_t taken = 0;  // objects in use
    for (int32_t r : live) ++(ids_[r] == kNone ? open : taken);
    const size_t free = objects_.size() - taken;
    // The records that need new objects: those that can join none, and of the
    // others as many as the free objects leave, the smallest ones.
    size_t homeless = 0;
    for (int32_t r : live) homeless += ids_[r] == kNone && homes_[r] == 0;
    size_t housed = open - homeless;
    size_t skip = std::min(housed, free);
    size_t k = 0;
    for (int32_t r : live) {
      if (ids_[r] != kNone) continue;
      if (homes_[r] > 0 && skip > 0) {
        --skip;
        continue;
      }
      if (k == needed_.size()) {
        needed_.push_back(0);
        needed_step_.push_back(t);
      }
      if (bytes_[r] > needed_[k]) {
        needed_[k] = bytes_[r];
        needed_step_[k] = t;
      }
      ++k;
    }
  }
  int64_t sum = 0;
  for (int64_t bytes : needed_) sum += bytes;
  return sum;
}

void ObjectsSearch::NoteBest(int64_t total) {
  if (total >= best_total_) return;
  found_ = true;
  best_total_ = total;
  best_ids_ = ids_;
  best_sizes_.clear();
  for (const Object& object : objects_) best_sizes_.push_back(object.size);
}

}  // namespace mace::memory
