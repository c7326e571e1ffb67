// Derives properties that hold for all orders of a problem.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order_problem.h"

#include <algorithm>
#include <numeric>

#include "mace/base/sort.h"

namespace mace {
namespace {

// The sets of steps of larger segments would take more than 16 MiB.
constexpr int64_t kMaxForcedSteps = 8192;

using Words = std::vector<uint64_t>;

// Returns, by position in the order 0, 1, 2, ..., whether the step is the only
// one that can run there, so that all remaining steps come after it. With
// `before` and `after` exchanged, and `backwards`, whether all other steps come
// before it.
std::vector<bool> FindSingletons(const std::vector<std::vector<int>>& before,
                                 const std::vector<std::vector<int>>& after,
                                 bool backwards) {
  const size_t n = before.size();
  std::vector<size_t> waiting(n);
  size_t num_ready = 0;
  for (size_t s = 0; s < n; ++s) {
    waiting[s] = before[s].size();
    num_ready += waiting[s] == 0;
  }
  std::vector<bool> alone(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t s = backwards ? n - 1 - i : i;
    alone[s] = num_ready == 1;
    --num_ready;
    for (int next : after[s]) num_ready += --waiting[next] == 0;
  }
  return alone;
}

// For each step of a segment, the sets of those steps of the segment that come
// before it, and after it, in every order, as bits.
class Reach {
 public:
  Reach(const OrderGraph& graph, const OrderSegment& segment)
      : begin_(segment.begin),
        num_steps_(segment.end - segment.begin),
        num_words_((num_steps_ + 63) / 64),
        before_(num_steps_, Words(num_words_)),
        after_(num_steps_, Words(num_words_)) {
    for (int i = 0; i < num_steps_; ++i) {
      for (int s : graph.before[begin_ + i]) {
        if (s >= begin_) Add(s - begin_, before_, &before_[i]);
      }
    }
    for (int i = num_steps_ - 1; i >= 0; --i) {
      for (int s : graph.after[begin_ + i]) {
        if (s < segment.end) Add(s - begin_, after_, &after_[i]);
      }
    }
  }

  size_t num_words() const { return num_words_; }
  // Returns the set of all steps.
  Words All() const { return Words(num_words_, ~uint64_t{0}); }
  void AddUpTo(int step, Words* set) const { Add(step - begin_, before_, set); }
  void AddFrom(int step, Words* set) const { Add(step - begin_, after_, set); }

 private:
  // Adds step i and sets[i] to `set`.
  static void Add(int i, const std::vector<Words>& sets, Words* set) {
    for (size_t w = 0; w < set->size(); ++w) (*set)[w] |= sets[i][w];
    (*set)[i / 64] |= uint64_t{1} << (i % 64);
  }

  const int begin_, num_steps_;
  const size_t num_words_;
  std::vector<Words> before_, after_;
};

}  // namespace

OrderGraph::OrderGraph(const OrderProblem& p)
    : problem(p),
      writer(p.bytes.size(), -1),
      readers(p.bytes.size()),
      before(p.num_steps()),
      after(p.num_steps()),
      written(p.num_steps()) {
  for (size_t s = 0; s < p.num_steps(); ++s) {
    const int step = static_cast<int>(s);
    for (int value : p.reads[s]) {
      readers[value].push_back(step);
      if (writer[value] >= 0) before[s].push_back(writer[value]);
    }
    for (int value : p.writes[s]) {
      writer[value] = step;
      written[s] += p.bytes[value];
    }
    StableSort(&before[s]);
    before[s].erase(std::unique(before[s].begin(), before[s].end()),
                    before[s].end());
    for (int other : before[s]) after[other].push_back(step);
  }
}

int64_t OrderTrace::Peak(size_t begin, size_t end) const {
  int64_t peak = 0;
  for (size_t i = begin; i < end; ++i) peak = std::max(peak, need[i]);
  return peak;
}

OrderTrace Trace(const OrderGraph& graph, const std::vector<int>& order) {
  const OrderProblem& p = graph.problem;
  std::vector<size_t> left;  // by value: number of readers to come
  for (const auto& readers : graph.readers) left.push_back(readers.size());
  OrderTrace trace;
  int64_t live = 0;
  for (int step : order) {
    trace.live.push_back(live);
    live += graph.written[step];
    trace.need.push_back(live + p.scratch[step]);
    for (int value : p.reads[step]) {
      if (--left[value] == 0) live -= p.bytes[value];
    }
    for (int value : p.writes[step]) {
      if (left[value] == 0) live -= p.bytes[value];
    }
  }
  trace.live.push_back(live);
  return trace;
}

std::vector<OrderSegment> Segments(const OrderGraph& graph) {
  const std::vector<bool> before_all =
      FindSingletons(graph.before, graph.after, false);
  const std::vector<bool> after_all =
      FindSingletons(graph.after, graph.before, true);
  const int n = static_cast<int>(graph.before.size());
  std::vector<OrderSegment> segments;
  OrderSegment segment;
  for (int s = 0; s <= n; ++s) {
    if (s < n && !(before_all[s] && after_all[s])) continue;
    segment.end = s;
    if (segment.end - segment.begin > 1) segments.push_back(segment);
    segment.begin = s + 1;
  }
  return segments;
}

int64_t StepBound(const OrderGraph& graph) {
  const OrderProblem& p = graph.problem;
  int64_t bound = 0;
  for (size_t s = 0; s < p.num_steps(); ++s) {
    int64_t bytes = graph.written[s] + p.scratch[s];
    for (int value : p.reads[s]) bytes += p.bytes[value];
    bound = std::max(bound, bytes);
  }
  return bound;
}

namespace {

// Returns the steps of `segment` at which `value` is live in every order, as
// bits.
Words LiveInAllOrders(const OrderGraph& graph, const OrderSegment& segment,
                      const Reach& reach, int value) {
  const bool from_here = graph.writer[value] >= segment.begin;
  Words live = from_here ? Words(reach.num_words()) : reach.All();
  if (from_here) reach.AddFrom(graph.writer[value], &live);
  const auto& readers = graph.readers[value];
  if (readers.empty() || readers.back() < segment.end) {
    Words until(reach.num_words());
    if (from_here) reach.AddUpTo(graph.writer[value], &until);
    for (int reader : readers) {
      if (reader >= segment.begin) reach.AddUpTo(reader, &until);
    }
    for (size_t w = 0; w < live.size(); ++w) live[w] &= until[w];
  }
  return live;
}

// Returns the values with bytes that some step of `segment` writes, reads, or
// keeps for a later one.
std::vector<int> ValuesOf(const OrderGraph& graph,
                          const OrderSegment& segment) {
  std::vector<int> values;
  for (size_t value = 0; value < graph.problem.bytes.size(); ++value) {
    const auto& readers = graph.readers[value];
    const int writer = graph.writer[value];
    const int last = readers.empty() ? writer : readers.back();
    const bool touches = writer < segment.end && last >= segment.begin;
    if (graph.problem.bytes[value] > 0 && touches) {
      values.push_back(static_cast<int>(value));
    }
  }
  return values;
}

}  // namespace

int64_t ForcedBound(const OrderGraph& graph, const OrderSegment& segment,
                    int64_t most_work, WorkBudget* budget) {
  const OrderProblem& p = graph.problem;
  const int64_t num_steps = segment.end - segment.begin;
  int64_t sets = 0;  // number of set unions
  for (int s = segment.begin; s < segment.end; ++s) {
    const size_t touched =
        graph.before[s].size() + p.reads[s].size() + p.writes[s].size();
    sets += 2 * static_cast<int64_t>(touched);
  }
  const int64_t join = num_steps / 64 + 1;
  // The rest of the work is adding values to steps.
  most_work = std::min(most_work, budget->left()) - sets * join;
  if (num_steps > kMaxForcedSteps || most_work < 0) return 0;
  budget->Spend(sets * join);

  const Reach reach(graph, segment);
  std::vector<int64_t> need(num_steps);
  const int64_t before = most_work;
  for (int value : ValuesOf(graph, segment)) {
    const Words live = LiveInAllOrders(graph, segment, reach, value);
    for (int64_t i = 0; i < num_steps; ++i) {
      if (live[i / 64] == 0) {
        i |= 63;
      } else if (live[i / 64] >> (i % 64) & 1) {
        need[i] += p.bytes[value];
        --most_work;
      }
    }
    if (most_work < 0) break;
  }
  budget->Spend(before - most_work);
  if (most_work < 0) return 0;
  int64_t bound = 0;
  for (int64_t i = 0; i < num_steps; ++i) {
    bound = std::max(bound, need[i] + p.scratch[segment.begin + i]);
  }
  return bound;
}

}  // namespace mace
