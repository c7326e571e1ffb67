// Keeps states, lists candidates, and chooses among them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order_beam.h"

#include <algorithm>
#include <tuple>

namespace mace {
namespace {

// For longer lists, each state has a counter instead of looking through them.
constexpr int kLongList = 6;

// Returns a hash of a step. The hash of a set is the sum modulo 2 (exclusive
// or) of its steps' hashes. It is SplitMix64. Source: Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
uint64_t HashOf(int step) {
  uint64_t z = (static_cast<uint64_t>(step) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

void OrderBeam::Lists::Close(int* num_counters) {
  const int length = static_cast<int>(members.size()) - start.back();
  counter.push_back(length > kLongList ? (*num_counters)++ : -1);
  start.push_back(static_cast<int>(members.size()));
}

OrderBeam::OrderBeam(const OrderGraph& graph, const OrderSegment& segment,
                     int64_t live, int64_t floor)
    : begin_(segment.begin),
      num_steps_(segment.end - segment.begin),
      floor_(floor),
      live_(live) {
  AddLists(graph, segment);
}

void OrderBeam::AddLists(const OrderGraph& graph, const OrderSegment& segment) {
  const OrderProblem& p = graph.problem;
  std::vector<int> local(p.bytes.size(),
                         -1);  // by value: its index in this segment
  for (int s = segment.begin; s < segment.end; ++s) {
    int64_t adds = graph.written[s];
    for (int value : p.writes[s]) {
      if (graph.readers[value].empty()) adds -= p.bytes[value];
    }
    adds_.push_back(adds);
    needs_.push_back(graph.written[s] + p.scratch[s]);
    for (int other : graph.before[s]) {
      if (other >= begin_) before_.members.push_back(other - begin_);
    }
    before_.Close(&num_counters_);
    int unused = 0;  // these lists are only iterated over
    for (int other : graph.after[s]) {
      if (other < segment.end) after_.members.push_back(other - begin_);
    }
    after_.Close(&unused);
    for (int value : p.reads[s]) {
      if (p.bytes[value] == 0) continue;
      if (graph.readers[value].back() >= segment.end) continue;
      if (local[value] < 0) {
        local[value] = static_cast<int>(value_bytes_.size());
        value_bytes_.push_back(p.bytes[value]);
        for (int reader : graph.readers[value]) {
          if (reader >= begin_) readers_.members.push_back(reader - begin_);
        }
        readers_.Close(&num_counters_);
      }
      frees_.members.push_back(local[value]);
    }
    frees_.Close(&unused);
  }
}

OrderBeam::State OrderBeam::Start() const {
  State state;
  state.live = state.peak = live_;
  state.done.resize((num_steps_ + 63) / 64);
  state.counts.resize(num_counters_);
  for (const Lists* lists : {&before_, &readers_}) {
    for (size_t i = 0; i < lists->counter.size(); ++i) {
      const int at = lists->counter[i];
      if (at >= 0) state.counts[at] = lists->size(static_cast<int>(i));
    }
  }
  for (int s = 0; s < num_steps_; ++s) {
    if (before_.size(s) == 0) state.ready.push_back({s, Adds(state, s)});
  }
  return state;
}

int OrderBeam::Left(const State& state, const Lists& lists, int i,
                    int most) const {
  if (lists.counter[i] >= 0) return state.counts[lists.counter[i]];
  int left = 0;
  for (const int* s = lists.begin(i); s != lists.end(i) && left < most; ++s) {
    left += !IsDone(state, *s);
  }
  return left;
}

int64_t OrderBeam::Adds(const State& state, int step) const {
  int64_t adds = adds_[step];
  for (const int* v = frees_.begin(step); v != frees_.end(step); ++v) {
    if (Left(state, readers_, *v, 2) == 1) adds -= value_bytes_[*v];
  }
  return adds;
}

// Returns a ready step that may run first without loss, or -1: it does not
// increase the live bytes, and needs no more than is needed anyway. In any
// order in which it runs later, moving it to the front does not raise the bytes
// of any other step.
int OrderBeam::FreeStep(const State& state) const {
  const int64_t peak = std::max(state.peak, floor_);
  for (size_t i = 0; i < state.ready.size(); ++i) {
    const ReadyStep& ready = state.ready[i];
    if (ready.adds <= 0 && state.live + needs_[ready.step] <= peak) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void OrderBeam::Advance(const Candidate& candidate, const State& from,
                        State* to) const {
  *to = from;
  const int step = from.ready[candidate.ready].step;
  to->ready.erase(to->ready.begin() + candidate.ready);
  to->done[step / 64] |= uint64_t{1} << (step % 64);
  to->hash = candidate.hash;
  to->peak = candidate.peak;
  to->live = candidate.live;
  const auto find = [to](int s) {
    return std::lower_bound(
        to->ready.begin(), to->ready.end(), s,
        [](const ReadyStep& ready, int other) { return ready.step < other; });
  };
  for (const int* v = frees_.begin(step); v != frees_.end(step); ++v) {
    if (readers_.counter[*v] >= 0) --to->counts[readers_.counter[*v]];
    if (Left(*to, readers_, *v, 2) != 1) continue;
    // The reader that remains is the last one.
    const int* last = std::find_if(readers_.begin(*v), readers_.end(*v),
                                   [&](int s) { return !IsDone(*to, s); });
    const auto ready = find(*last);
    if (ready != to->ready.end() && ready->step == *last) {
      ready->adds -= value_bytes_[*v];
    }
  }
  for (const int* s = after_.begin(step); s != after_.end(step); ++s) {
    if (before_.counter[*s] >= 0) --to->counts[before_.counter[*s]];
    if (Left(*to, before_, *s, 1) > 0) continue;
    to->ready.insert(find(*s), {*s, Adds(*to, *s)});
  }
}

bool OrderBeam::FindCandidates(int64_t limit, WorkBudget* budget) {
  candidates_.clear();
  int64_t work = 0;
  const auto add = [&](size_t parent, int ready) {
    const State& state = beam_[parent];
    const auto& [step, adds] = state.ready[ready];
    const int64_t peak = std::max(state.peak, state.live + needs_[step]);
    if (peak >= limit) return;
    candidates_.push_back({peak, state.live + adds, static_cast<int>(parent),
                           ready, state.hash ^ HashOf(step)});
  };
  for (size_t i = 0; i < beam_.size(); ++i) {
    const int num_ready = static_cast<int>(beam_[i].ready.size());
    const int free = FreeStep(beam_[i]);
    work += num_ready;
    if (free >= 0) {
      add(i, free);
      continue;
    }
    for (int r = 0; r < num_ready; ++r) add(i, r);
    work += 4 * num_ready;  // for making and comparing candidates
  }
  budget->Spend(work);
  return !candidates_.empty();
}

bool OrderBeam::Select(size_t width, std::vector<Candidate>* kept) {
  // All candidates are below the limit; those with few live bytes are most
  // likely to stay there. Candidates with the same set of steps have the same
  // live bytes, so the lower peak wins.
  const auto better = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.live, a.peak, a.parent, a.ready) <
           std::tie(b.live, b.peak, b.parent, b.ready);
  };
  size_t slots = 4;
  while (slots < 4 * std::min(width, candidates_.size())) slots *= 2;
  seen_.assign(slots, 0);
  const auto is_new = [&](uint64_t hash) {
    hash += hash == 0;  // 0 is an empty slot
    size_t at = hash & (slots - 1);
    while (seen_[at] != 0 && seen_[at] != hash) at = (at + 1) & (slots - 1);
    const bool found = seen_[at] == hash;
    seen_[at] = hash;
    return !found;
  };
  kept->clear();
  const size_t chunk = 2 * width;  // avoids sorting more than needed
  for (size_t begin = 0; begin < candidates_.size(); begin += chunk) {
    const size_t end = std::min(begin + chunk, candidates_.size());
    const auto at = [this](size_t i) {
      return candidates_.begin() + static_cast<ptrdiff_t>(i);
    };
    if (end < candidates_.size()) {
      std::nth_element(at(begin), at(end), at(candidates_.size()), better);
    }
    std::sort(at(begin), at(end), better);
    for (size_t i = begin; i < end; ++i) {
      if (kept->size() == width) return false;
      if (is_new(candidates_[i].hash)) kept->push_back(candidates_[i]);
    }
  }
  return true;
}

OrderBeam::Answer OrderBeam::Search(size_t width, int64_t limit,
                                    WorkBudget* budget) {
  Answer answer;
  answer.complete = true;
  history_.clear();
  beam_.assign(1, Start());
  std::vector<Candidate> kept;
  for (int depth = 0; depth < num_steps_; ++depth) {
    // No state is below the limit, which is a proof if no state was left out.
    if (!FindCandidates(limit, budget)) return answer;
    answer.complete = Select(width, &kept) && answer.complete;
    if (next_.size() < kept.size()) next_.resize(kept.size());
    int64_t work = 0;
    for (size_t i = 0; i < kept.size(); ++i) {
      const State& from = beam_[kept[i].parent];
      const int step = from.ready[kept[i].ready].step;
      Advance(kept[i], from, &next_[i]);
      next_[i].history = static_cast<int>(history_.size());
      history_.push_back({from.history, step});
      work += static_cast<int64_t>(from.done.size() + from.counts.size() +
                                   2 * from.ready.size() + 16) +
              after_.size(step) + frees_.size(step);
    }
    next_.resize(kept.size());
    std::swap(beam_, next_);
    if (!budget->Spend(work)) return Answer();
  }
  answer.peak = beam_[0].peak;
  for (int at = beam_[0].history; at >= 0; at = history_[at].before) {
    answer.order.push_back(begin_ + history_[at].step);
  }
  std::reverse(answer.order.begin(), answer.order.end());
  return answer;
}

}  // namespace mace
