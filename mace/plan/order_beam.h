// OrderBeam: a beam search over the orders of one segment of an OrderProblem.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ORDER_BEAM_H_
#define MACE_PLAN_ORDER_BEAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/plan/order_problem.h"

namespace mace {

// A state is a set of finished steps. It knows its ready steps with what each
// adds to the live bytes, so that trying a step is a sum; only the states that
// are kept are made. Sets are compared by a hash of 64 bits.
class OrderBeam {
 public:
  struct Answer {
    std::vector<int> order;  // of the segment's steps; empty: none was found
    int64_t peak = 0;        // of that order
    // Nothing was left out: the order has the least peak, or there is none.
    bool complete = false;
  };

  // `live` is what is live before the segment. Differences of peaks up to
  // `floor` do not matter, as all orders of the problem need so much.
  OrderBeam(const OrderGraph& graph, const OrderSegment& segment, int64_t live,
            int64_t floor);

  // An order whose peak is below `limit`, with `width` states at each depth.
  // Without an answer, and not complete, once the budget is used up.
  Answer Search(size_t width, int64_t limit, WorkBudget* budget);

 private:
  struct ReadyStep {
    int step;
    int64_t adds;  // to the live bytes, once it has run
  };
  struct State {
    int64_t peak = 0;
    int64_t live = 0;
    uint64_t hash = 0;
    int history = -1;
    std::vector<uint64_t> done;    // a bit by step
    std::vector<int> counts;       // by Lists::counter: members not done
    std::vector<ReadyStep> ready;  // ascending
  };
  struct Candidate {
    int64_t peak;
    int64_t live;
    int parent;
    int ready;  // of the parent
    uint64_t hash;
  };
  struct Moved {
    int before;  // in history_, or -1
    int step;
  };
  // Lists of steps or values, one after the other. Those with many members are
  // counted in each state; the others are looked through.
  struct Lists {
    std::vector<int> start = {0};
    std::vector<int> members;
    std::vector<int> counter;  // index into State::counts, or -1

    void Close(int* num_counters);
    const int* begin(int i) const { return members.data() + start[i]; }
    const int* end(int i) const { return members.data() + start[i + 1]; }
    int size(int i) const { return start[i + 1] - start[i]; }
  };

  void AddLists(const OrderGraph& graph, const OrderSegment& segment);
  State Start() const;
  bool IsDone(const State& state, int step) const {
    return state.done[step / 64] >> (step % 64) & 1;
  }
  // Members of list `i` that are not done; counted up to `most` only.
  int Left(const State& state, const Lists& lists, int i, int most) const;
  int64_t Adds(const State& state, int step) const;
  // The ready step that may run now without loss, or -1.
  int FreeStep(const State& state) const;
  void Advance(const Candidate& candidate, const State& from, State* to) const;
  // False if there are no candidates.
  bool FindCandidates(int64_t limit, WorkBudget* budget);
  // The best of the candidates, one for each set; returns whether that is all.
  bool Select(size_t width, std::vector<Candidate>* kept);

  const int begin_;
  const int num_steps_;
  const int64_t floor_;
  const int64_t live_;
  std::vector<int64_t> needs_;  // by step: bytes beyond the live ones
  std::vector<int64_t> adds_;   // by step: what it writes for later steps
  std::vector<int64_t> value_bytes_;
  Lists before_;   // by step: steps of the segment
  Lists after_;    // by step: steps of the segment
  Lists frees_;    // by step: values whose last reader is in the segment
  Lists readers_;  // by value: steps of the segment
  int num_counters_ = 0;

  std::vector<State> beam_, next_;
  std::vector<Candidate> candidates_;
  std::vector<uint64_t> seen_;
  std::vector<Moved> history_;
};

}  // namespace mace

#endif  // MACE_PLAN_ORDER_BEAM_H_
