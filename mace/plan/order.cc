// Beam search over topological orders.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "mace/ops/common/op.h"

namespace mace {
namespace {

// States kept per depth. The networks of today are narrow: 64 is above the
// number of distinct sets of most.
constexpr size_t kBeam = 64;

// What the search needs to know of the graph.
struct Problem {
  std::vector<std::vector<int>> reads;    // by step: values, each once
  std::vector<std::vector<int>> writes;   // by step: values
  std::vector<int64_t> scratch;           // by step
  std::vector<int64_t> bytes;             // by value; 0: not in the arena
  std::vector<int> num_readers;           // by value; outputs have one more
  std::vector<std::vector<int>> readers;  // by value: steps
};

bool IsView(const Node& node, const Kernel& kernel) {
  const Op* op = FindOp(node.op);  // null for the steps that move tensors
  return kernel.output_layout() == Layout::kImage
             ? kernel.renames_only()
             : op != nullptr && op->is_view;
}

Problem MakeProblem(const Graph& graph, const std::vector<Step>& steps) {
  Problem p;
  const size_t num_values = graph.values.size();
  // Views count as the value they show.
  std::vector<int> root(num_values);
  std::iota(root.begin(), root.end(), 0);
  p.bytes.resize(num_values);
  p.num_readers.resize(num_values);
  p.readers.resize(num_values);
  for (size_t s = 0; s < steps.size(); ++s) {
    const GraphNode& g = graph.nodes[steps[s].node];
    p.reads.emplace_back();
    p.writes.emplace_back();
    p.scratch.push_back(steps[s].kernel->scratch_bytes());
    const bool is_view = IsView(g.node, *steps[s].kernel) && g.inputs[0] >= 0;
    for (int id : g.outputs) {
      if (is_view) {
        root[id] = root[g.inputs[0]];
      } else {
        p.bytes[id] = Bytes(graph.values[id].type);
      }
      p.writes[s].push_back(id);
    }
    for (int id : g.inputs) {
      if (id < 0 || graph.values[id].is_constant()) continue;
      p.reads[s].push_back(id);
      if (root[id] != id) p.reads[s].push_back(root[id]);
    }
    // A view keeps what it shows alive until its own readers are done.
    std::sort(p.reads[s].begin(), p.reads[s].end());
    p.reads[s].erase(std::unique(p.reads[s].begin(), p.reads[s].end()),
                     p.reads[s].end());
    for (int id : p.reads[s]) {
      ++p.num_readers[id];
      p.readers[id].push_back(static_cast<int>(s));
    }
  }
  for (int id : graph.outputs) p.bytes[id] = p.bytes[root[id]] = 0;
  return p;
}

struct State {
  std::vector<int> order;
  std::vector<bool> done;    // by step
  std::vector<int> left;     // by value: readers to come
  std::vector<int> waiting;  // by step: inputs to come
  std::vector<int> ready;    // ascending
  int64_t live = 0, peak = 0;
};

int64_t Writes(const Problem& p, int step) {
  int64_t bytes = 0;
  for (int id : p.writes[step]) bytes += p.bytes[id];
  return bytes;
}

State Advance(const Problem& p, const State& from, int step) {
  State to = from;
  to.order.push_back(step);
  to.done[step] = true;
  to.ready.erase(std::find(to.ready.begin(), to.ready.end(), step));
  to.live += Writes(p, step);
  to.peak = std::max(to.peak, to.live + p.scratch[step]);
  for (int id : p.reads[step]) {
    if (--to.left[id] == 0) to.live -= p.bytes[id];
  }
  for (int id : p.writes[step]) {
    if (to.left[id] == 0) to.live -= p.bytes[id];
    for (int reader : p.readers[id]) {
      if (--to.waiting[reader] == 0) {
        to.ready.insert(
            std::upper_bound(to.ready.begin(), to.ready.end(), reader), reader);
      }
    }
  }
  return to;
}

State Start(const Problem& p) {
  const size_t n = p.reads.size();
  State state;
  state.done.resize(n);
  state.left = p.num_readers;
  state.waiting.assign(n, 0);
  for (size_t s = 0; s < n; ++s) {
    for (int id : p.writes[s]) {
      for (int reader : p.readers[id]) ++state.waiting[reader];
    }
  }
  for (size_t s = 0; s < n; ++s) {
    if (state.waiting[s] == 0) state.ready.push_back(static_cast<int>(s));
  }
  return state;
}

// What the greediest step needs whatever the order.
int64_t LowerBound(const Problem& p) {
  int64_t bound = 0;
  for (size_t s = 0; s < p.reads.size(); ++s) {
    int64_t bytes = Writes(p, static_cast<int>(s)) + p.scratch[s];
    for (int id : p.reads[s]) bytes += p.bytes[id];
    bound = std::max(bound, bytes);
  }
  return bound;
}

// Lower peaks first, then fewer live bytes, then the model's order.
bool Better(const State& a, const State& b) {
  return std::tie(a.peak, a.live, a.order) < std::tie(b.peak, b.live, b.order);
}

}  // namespace

std::vector<int> SearchOrder(const Graph& graph,
                             const std::vector<Step>& steps) {
  const Problem p = MakeProblem(graph, steps);
  std::vector<int> model_order(steps.size());
  std::iota(model_order.begin(), model_order.end(), 0);
  State as_model = Start(p);
  bool has_choice = false;
  for (int step : model_order) {
    has_choice = has_choice || as_model.ready.size() > 1;
    as_model = Advance(p, as_model, step);
  }
  if (!has_choice || as_model.peak <= LowerBound(p)) return model_order;

  std::vector<State> beam = {Start(p)};
  for (size_t depth = 0; depth < steps.size(); ++depth) {
    std::vector<State> next;
    for (const State& state : beam) {
      for (int step : state.ready) next.push_back(Advance(p, state, step));
    }
    std::sort(next.begin(), next.end(), Better);
    // One state per set of finished steps: the best of them.
    std::vector<std::vector<bool>> seen;
    beam.clear();
    for (State& state : next) {
      if (beam.size() == kBeam || state.peak > as_model.peak) break;
      if (std::find(seen.begin(), seen.end(), state.done) != seen.end()) {
        continue;
      }
      seen.push_back(state.done);
      beam.push_back(std::move(state));
    }
    if (beam.empty()) return model_order;
  }
  return beam[0].peak < as_model.peak ? beam[0].order : model_order;
}

}  // namespace mace
