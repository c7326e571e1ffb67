// Small random OrderProblems, and their least peaks by trying every order.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TESTING_ORDER_PROBLEMS_H_
#define MACE_PLAN_TESTING_ORDER_PROBLEMS_H_

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "mace/plan/memory/order_problem.h"
#include "mace/plan/testing/plan_maker.h"

namespace mace::testing {

// Returns steps that each read one to three of the last `reach` values so far
// (the first two values are written by no step) and write up to three. Some
// values are read by no step, and some have no bytes.
inline OrderProblem RandomOrderProblem(int num_steps, int reach,
                                       Random* random) {
  OrderProblem p;
  p.bytes = {0, 0};
  for (int s = 0; s < num_steps; ++s) {
    const int num_values = static_cast<int>(p.bytes.size());
    std::set<int> reads;
    for (int k = random->Below(3); k >= 0; --k) {
      reads.insert(num_values - 1 - random->Below(std::min(num_values, reach)));
    }
    p.reads.emplace_back(reads.begin(), reads.end());
    p.writes.emplace_back();
    for (int k = random->OneIn(4) ? random->Below(4) : 1; k > 0; --k) {
      p.writes.back().push_back(static_cast<int>(p.bytes.size()));
      p.bytes.push_back(random->OneIn(10) ? 0 : random->Between(1, 99));
    }
    p.scratch.push_back(random->OneIn(4) ? random->Below(80) : 0);
  }
  return p;
}

// The terms of order_problem.h computed straight from their definitions, in
// time that is exponential for LeastPeak(). `problem` must outlive it.
struct OrderDefinitions {
  explicit OrderDefinitions(const OrderProblem& problem)
      : p(problem),
        writer(p.bytes.size(), -1),
        precedes(p.num_steps(), std::vector<bool>(p.num_steps())) {
    for (size_t s = 0; s < p.num_steps(); ++s) {
      for (int v : p.writes[s]) writer[v] = static_cast<int>(s);
    }
    for (size_t s = 0; s < p.num_steps(); ++s) {
      for (int v : p.reads[s]) {
        if (writer[v] < 0) continue;
        for (size_t a = 0; a < s; ++a) {
          if (static_cast<int>(a) == writer[v] || precedes[a][writer[v]]) {
            precedes[a][s] = true;
          }
        }
      }
    }
  }

  bool Reads(size_t step, size_t value) const {
    return std::count(p.reads[step].begin(), p.reads[step].end(),
                      static_cast<int>(value)) > 0;
  }
  // Bytes that are written in `done` and read by a step that is not.
  int64_t Live(const std::vector<bool>& done) const {
    int64_t live = 0;
    for (size_t v = 0; v < p.bytes.size(); ++v) {
      bool needed = false;
      for (size_t s = 0; s < p.num_steps(); ++s) {
        needed |= !done[s] && Reads(s, v);
      }
      if (writer[v] >= 0 && done[writer[v]] && needed) live += p.bytes[v];
    }
    return live;
  }
  // Bytes while `step` runs after those of `done`.
  int64_t Need(const std::vector<bool>& done, size_t step) const {
    int64_t need = Live(done) + p.scratch[step];
    for (int v : p.writes[step]) need += p.bytes[v];
    return need;
  }
  // Whether the step is not done, and all that come before it in every order
  // are.
  bool MayRun(const std::vector<bool>& done, size_t step) const {
    if (done[step]) return false;
    for (size_t s = 0; s < p.num_steps(); ++s) {
      if (precedes[s][step] && !done[s]) return false;
    }
    return true;
  }

  int64_t PeakOf(const std::vector<int>& order) const {
    std::vector<bool> done(p.num_steps());
    int64_t peak = 0;
    for (int step : order) {
      peak = std::max(peak, Need(done, step));
      done[step] = true;
    }
    return peak;
  }

  // The least peak of all orders, found for each set of finished steps from the
  // sets with one step less.
  int64_t LeastPeak() const {
    const size_t n = p.num_steps();
    std::vector<int64_t> least(size_t{1} << n, INT64_MAX);
    least[0] = 0;
    for (size_t set = 0; set < least.size(); ++set) {
      if (least[set] == INT64_MAX) continue;
      std::vector<bool> done(n);
      for (size_t s = 0; s < n; ++s) done[s] = (set >> s & 1) != 0;
      for (size_t s = 0; s < n; ++s) {
        if (!MayRun(done, s)) continue;
        int64_t& next = least[set | size_t{1} << s];
        next = std::min(next, std::max(least[set], Need(done, s)));
      }
    }
    return least.back();
  }

  const OrderProblem& p;
  std::vector<int> writer;  // by value: a step, or -1
  // [a][b]: whether step a comes before step b in every order.
  std::vector<std::vector<bool>> precedes;
};

}  // namespace mace::testing

#endif  // MACE_PLAN_TESTING_ORDER_PROBLEMS_H_
