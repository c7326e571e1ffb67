// OrderBeam: a beam search over the orders of one segment of an OrderProblem.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_ORDER_BEAM_H_
#define MACE_PLAN_MEMORY_ORDER_BEAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/plan/memory/order_problem.h"

namespace mace {

// A state is a set of finished steps. For each ready step, it stores by how
// much the step changes the live bytes, so that trying a step is an addition;
// only states that are kept are computed. Sets are compared by a 64-bit hash.
//
//    {}  ->  {a}  ->  {a, b}    reached twice: the lower peak stays
//            {b}  ->  {a, b}
//                 ->  {b, c}
//            {c}                with width 2 left out: it has most live bytes
class OrderBeam {
 public:
  struct Answer {
    std::vector<int> order;  // of the segment's steps; empty: none was found
    int64_t peak = 0;        // of that order
    // No state was left out: the order has the least peak, or if it is empty,
    // no order has a peak below the limit.
    bool complete = false;
  };

  // `live` is the number of bytes that are live before the segment. Peaks up to
  // `floor` are equally good, as all orders of the problem need that much.
  OrderBeam(const OrderGraph& graph, const OrderSegment& segment, int64_t live,
            int64_t floor);

  // Looks for an order whose peak is below `limit`, with `width` states at each
  // depth. If the budget ends first, the answer is empty and not complete.
  Answer Search(size_t width, int64_t limit, WorkBudget* budget);

 private:
  // A step that is not done, all of whose predecessors are.
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
  // A state of the next depth that is not computed yet: a parent, and the ready
  // step that it runs.
  struct Candidate {
    int64_t peak;
    int64_t live;
    int parent;
    int ready;  // of the parent
    uint64_t hash;
  };
  // A link of the chain of steps that lead to a state, from the last one back;
  // states share the beginnings of their chains.
  struct Moved {
    int before;  // in history_, or -1
    int step;
  };
  // Lists of steps or values, one after the other. For lists with many members,
  // each state has a counter; the others are looked through.
  struct Lists {
    std::vector<int> start = {0};
    std::vector<int> members;
    std::vector<int> counter;  // index into State::counts, or -1

    // Ends the current list. If it has many members, takes the next counter.
    void Close(int* num_counters);
    const int* begin(int i) const { return members.data() + start[i]; }
    const int* end(int i) const { return members.data() + start[i + 1]; }
    int size(int i) const { return start[i + 1] - start[i]; }
  };

  // Fills in the lists, in which steps count from the segment's first, and
  // values that the segment frees are numbered anew.
  void AddLists(const OrderGraph& graph, const OrderSegment& segment);
  // Returns the state in which no step of the segment is done.
  State Start() const;
  bool IsDone(const State& state, int step) const {
    return state.done[step / 64] >> (step % 64) & 1;
  }
  // Returns the number of members of list `i` that are not done, or `most` if
  // there are more and it has no counter.
  int Left(const State& state, const Lists& lists, int i, int most) const;
  // Returns by how much the live bytes grow if the step runs now: what it
  // writes, less the values of which it is the last reader.
  int64_t Adds(const State& state, int step) const;
  // Returns the index of a ready step that may run now without loss, or -1.
  int FreeStep(const State& state) const;
  // Makes `to` the state that the candidate stands for, from its parent `from`.
  void Advance(const Candidate& candidate, const State& from, State* to) const;
  // Lists what can follow the states of beam_ with a peak below `limit`: of a
  // state with a free step, only this step. Returns false if there are no
  // candidates.
  bool FindCandidates(int64_t limit, WorkBudget* budget);
  // Selects the best candidates, one for each set. Returns whether these are
  // all.
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

  // The states of this depth, and of the next one.
  std::vector<State> beam_, next_;
  std::vector<Candidate> candidates_;
  // For Select: an open hash table of the sets that are kept; 0 is an empty
  // slot.
  std::vector<uint64_t> seen_;
  std::vector<Moved> history_;
};

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_ORDER_BEAM_H_
