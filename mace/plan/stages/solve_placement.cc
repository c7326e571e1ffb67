// Solves placements by expansion moves, each of which is an exact cut.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/solve_placement.h"

#include <cstddef>

#include "mace/base/search.h"
#include "mace/plan/min_cut/min_cut.h"
#include "mace/plan/min_cut/move_costs.h"

namespace mace {
namespace {

constexpr double kMinGain = 1e-6;  // for continuing

// Finds the cheapest placement that differs from `devices` only by nodes that
// move to one device, the target. In the graph of the cut, nodes on the side of
// the source move to the target, and the others stay. The source stands for
// nodes that are already there, and for the host if it is the target; otherwise
// the host is the sink.
class Expansion {
 public:
  Expansion(const PlacementProblem& problem, const std::vector<int>& devices,
            int target)
      : problem_(problem),
        devices_(devices),
        target_(target),
        cut_(CutVertexOf(devices.size())) {}

  std::vector<int> Solve() {
    for (size_t n = 0; n < devices_.size(); ++n) AddNode(n);
    for (const auto& tensor : problem_.tensors) AddTensor(tensor);
    const std::vector<bool> goes = cut_.SourceSide(kCutSource, kCutSink);
    std::vector<int> result = devices_;
    for (size_t n = 0; n < result.size(); ++n) {
      if (goes[CutVertexOf(n)]) result[n] = target_;
    }
    return result;
  }

 private:
  using Tensor = PlacementProblem::Tensor;

  int DeviceOf(int node) const {
    return node == PlacementProblem::kHost ? problem_.num_devices - 1
                                           : devices_[node];
  }
  int VertexOf(int node) const {
    if (DeviceOf(node) == target_) return kCutSource;
    return node == PlacementProblem::kHost ? kCutSink : CutVertexOf(node);
  }

  void AddNode(size_t n) {
    if (devices_[n] == target_) return;
    const std::vector<double>& us = problem_.node_us[n];
    cut_.AddEdge(kCutSource, CutVertexOf(n), us[devices_[n]]);
    cut_.AddEdge(CutVertexOf(n), kCutSink, us[target_]);
  }

  // Adds a cost that arises if `from` goes to the target and one of `readers`
  // stays.
  void AddCostIfOneStays(int from, const std::vector<int>& readers,
                         double cost) {
    if (!(cost > 0) || readers.empty() || from == kCutSink) return;
    const int any = cut_.AddVertex();
    cut_.AddEdge(from, any, cost);
    for (int reader : readers) {
      if (VertexOf(reader) == kCutSource) continue;
      cut_.AddEdge(any, VertexOf(reader), MinCut::kInfinite);
    }
  }

  // Adds a cost that arises if `from` stays and one of `readers` goes to the
  // target.
  void AddCostIfOneGoes(int from, const std::vector<int>& readers,
                        double cost) {
    if (!(cost > 0) || readers.empty() || from == kCutSource) return;
    const int any = cut_.AddVertex();
    cut_.AddEdge(any, from, cost);
    for (int reader : readers) {
      if (VertexOf(reader) == kCutSink) continue;
      cut_.AddEdge(VertexOf(reader), any, MinCut::kInfinite);
    }
  }

  void AddTensor(const Tensor& tensor) {
    const int producer = VertexOf(tensor.producer);
    const int now = DeviceOf(tensor.producer);
    // Moving it to other devices, for the readers that stay there.
    for (int d = 0; d < problem_.num_devices; ++d) {
      if (d == target_) continue;
      std::vector<int> there;
      for (int reader : tensor.readers) {
        if (DeviceOf(reader) == d) there.push_back(reader);
      }
      AddCostIfOneStays(now == d ? producer : kCutSource, there,
                        tensor.move_us[d]);
    }
    // Moving it to the target, unless it is made there.
    AddCostIfOneGoes(producer, tensor.readers, tensor.move_us[target_]);
    // Moving it from the target, if it is made there.
    AddCostIfOneStays(producer, tensor.readers, tensor.move_us[target_]);
    if (now == target_ || !(tensor.move_us[now] > 0)) return;
    // Moving it from the device that makes it now.
    const bool is_read_elsewhere = AnyOf(
        tensor.readers, [&](int reader) { return DeviceOf(reader) != now; });
    if (is_read_elsewhere) {
      cut_.AddEdge(kCutSource, producer, tensor.move_us[now]);
    } else {
      AddCostIfOneGoes(producer, tensor.readers, tensor.move_us[now]);
    }
  }

  const PlacementProblem& problem_;
  const std::vector<int>& devices_;
  const int target_;
  MinCut cut_;
};

bool CanRun(const PlacementProblem& problem, size_t node, int device) {
  return problem.node_us[node][device] < PlacementProblem::kImpossible;
}

// Returns the cheapest placement on two devices. Nodes that neither can run go
// to the last device that can.
std::vector<int> SolveTwo(const PlacementProblem& problem, int a, int b) {
  std::vector<int> devices;
  for (size_t n = 0; n < problem.node_us.size(); ++n) {
    int device = CanRun(problem, n, b) ? b : a;
    if (!CanRun(problem, n, device)) device = problem.num_devices - 1;
    while (!CanRun(problem, n, device)) --device;
    devices.push_back(device);
  }
  return Expansion(problem, devices, a).Solve();
}

}  // namespace

double CostOf(const PlacementProblem& problem,
              const std::vector<int>& devices) {
  const int host = problem.num_devices - 1;
  const auto device_of = [&](int node) {
    return node == PlacementProblem::kHost ? host : devices[node];
  };
  double cost = 0;
  for (size_t n = 0; n < devices.size(); ++n) {
    cost += problem.node_us[n][devices[n]];
  }
  for (const auto& tensor : problem.tensors) {
    const int made = device_of(tensor.producer);
    std::vector<bool> is_there(problem.num_devices, false);
    is_there[made] = is_there[host] = true;
    bool leaves = false;
    for (int reader : tensor.readers) {
      const int d = device_of(reader);
      leaves = leaves || d != made;
      if (!is_there[d]) cost += tensor.move_us[d];
      is_there[d] = true;
    }
    if (leaves && made != host) cost += tensor.move_us[made];
  }
  return cost;
}

std::vector<int> SolvePlacement(const PlacementProblem& problem) {
  const int num_devices = problem.num_devices;
  std::vector<int> best(problem.node_us.size(), 0);
  if (num_devices == 1) return best;
  double least = 0;
  bool is_first = true;
  for (int a = 0; a < num_devices; ++a) {
    for (int b = a + 1; b < num_devices; ++b) {
      std::vector<int> found = SolveTwo(problem, a, b);
      const double cost = CostOf(problem, found);
      if (!is_first && cost >= least - kMinGain) continue;
      is_first = false;
      least = cost;
      best = std::move(found);
    }
  }
  if (num_devices == 2) return best;
  // Continues until no device can gain by taking nodes.
  for (int since_gain = 0, target = 0; since_gain < num_devices;
       target = (target + 1) % num_devices) {
    std::vector<int> found = Expansion(problem, best, target).Solve();
    const double cost = CostOf(problem, found);
    if (cost < least - kMinGain) {
      least = cost;
      best = std::move(found);
      since_gain = 0;
    } else {
      ++since_gain;
    }
  }
  return best;
}

}  // namespace mace
