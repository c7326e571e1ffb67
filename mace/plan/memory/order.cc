// Decides which segments are searched, and how widely.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mace/base/sort.h"
#include "mace/ops/common/op.h"
#include "mace/plan/memory/order_beam.h"

namespace mace {
namespace {

// The number of states kept at each depth, for one search after the other: the
// first searches are cheap and find most gains.
constexpr size_t kWidths[] = {1, 8, 64, 512};
// A search is left out if it would keep more states than this for its history,
// 8 bytes each.
constexpr int64_t kMaxHistory = 1 << 19;
// The share of the budget that a segment's lower bound may take.
constexpr int64_t kBoundShare = 8;

bool IsView(const Node& node, const Kernel& kernel) {
  const Op* op = FindOp(node.op);  // null for steps that move tensors
  return kernel.output_layout() == Layout::kImage
             ? kernel.renames_only()
             : op != nullptr && op->is_view;
}

class Searcher {
 public:
  Searcher(const OrderProblem& problem, int64_t budget)
      : graph_(problem), budget_(budget) {
    answer_.order.resize(problem.num_steps());
    std::iota(answer_.order.begin(), answer_.order.end(), 0);
    answer_.search.budget = budget;
  }

  OrderAnswer Search() {
    const OrderTrace trace = Trace(graph_, answer_.order);
    int64_t edges = 0;
    for (const auto& before : graph_.before) {
      edges += static_cast<int64_t>(before.size());
    }
    budget_.Spend(static_cast<int64_t>(answer_.order.size()) + edges);
    const int64_t before = trace.Peak(0, answer_.order.size());
    bound_ = StepBound(graph_);
    if (before > bound_) FindParts(trace);
    for (const size_t width : kWidths) {
      // The highest peak first: the least peak of this segment is a bound for
      // the others.
      StableSort(&parts_, [](const Part& a, const Part& b) {
        return a.peak != b.peak ? a.peak > b.peak
                                : a.segment.begin < b.segment.begin;
      });
      for (Part& part : parts_) Improve(width, &part);
    }
    return Finish(before);
  }

 private:
  struct Part {
    OrderSegment segment;
    int64_t live = 0;  // live bytes before it
    int64_t peak = 0;  // peak of the best order so far
    bool is_least = false;
  };

  void FindParts(const OrderTrace& trace) {
    int64_t rest = 0;  // peak of the steps with only one possible position
    size_t at = 0;
    for (const OrderSegment& segment : Segments(graph_)) {
      const auto begin = static_cast<size_t>(segment.begin);
      rest = std::max(rest, trace.Peak(at, begin));
      at = static_cast<size_t>(segment.end);
      parts_.push_back({segment, trace.live[begin], trace.Peak(begin, at)});
    }
    rest = std::max(rest, trace.Peak(at, answer_.order.size()));
    bound_ = std::max(bound_, rest);
    StableSort(&parts_,
               [](const Part& a, const Part& b) { return a.peak > b.peak; });
    const int64_t most_work = budget_.left() / kBoundShare;
    for (const Part& part : parts_) {
      if (part.peak <= bound_) break;
      bound_ = std::max(bound_,
                        ForcedBound(graph_, part.segment, most_work, &budget_));
    }
  }

  void Improve(size_t width, Part* part) {
    const OrderSegment& segment = part->segment;
    const int64_t num_steps = segment.end - segment.begin;
    if (part->peak <= bound_ || part->is_least || budget_.is_spent() ||
        static_cast<int64_t>(width) * num_steps > kMaxHistory) {
      return;
    }
    OrderBeam beam(graph_, segment, part->live, bound_);
    const OrderBeam::Answer found = beam.Search(width, part->peak, &budget_);
    if (!found.order.empty()) {
      part->peak = found.peak;
      std::copy(found.order.begin(), found.order.end(),
                answer_.order.begin() + segment.begin);
    }
    if (!found.complete) return;
    part->is_least = true;
    bound_ = std::max(bound_, part->peak);
  }

  OrderAnswer Finish(int64_t before) {
    OrderSearch& search = answer_.search;
    search.peak_before = before;
    search.peak_after =
        Trace(graph_, answer_.order).Peak(0, answer_.order.size());
    search.bound = bound_;
    search.work = budget_.spent();
    search.end = search.peak_after <= bound_ ? OrderSearch::kMinimum
                 : budget_.is_spent()        ? OrderSearch::kBudget
                                             : OrderSearch::kWidest;
    return std::move(answer_);
  }

  const OrderGraph graph_;
  WorkBudget budget_;
  int64_t bound_ = 0;  // lower bound of all orders
  std::vector<Part> parts_;
  OrderAnswer answer_;
};

}  // namespace

OrderAnswer SearchOrder(const OrderProblem& problem, int64_t budget) {
  return Searcher(problem, budget).Search();
}

OrderProblem MakeOrderProblem(const Graph& graph,
                              const std::vector<Step>& steps) {
  OrderProblem p;
  const size_t num_values = graph.values.size();
  // Views count as the value whose bytes they are.
  std::vector<int> root(num_values);
  std::iota(root.begin(), root.end(), 0);
  p.bytes.resize(num_values);
  for (const Step& step : steps) {
    const GraphNode& g = graph.nodes[step.node];
    std::vector<int> reads;
    p.scratch.push_back(step.kernel->scratch_bytes());
    const bool is_view = IsView(g.node, *step.kernel) && g.inputs[0] >= 0;
    for (int id : g.outputs) {
      if (is_view) {
        root[id] = root[g.inputs[0]];
      } else {
        p.bytes[id] = Bytes(graph.values[id].type);
      }
    }
    p.writes.push_back(g.outputs);
    for (int id : g.inputs) {
      if (id < 0 || graph.values[id].is_constant()) continue;
      reads.push_back(id);
      // A view keeps the bytes of its root alive until its own readers are
      // done.
      if (root[id] != id) reads.push_back(root[id]);
    }
    StableSort(&reads);
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    p.reads.push_back(std::move(reads));
  }
  for (int id : graph.outputs) p.bytes[id] = p.bytes[root[id]] = 0;
  return p;
}

}  // namespace mace
