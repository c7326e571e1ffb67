// SolvePlacement: decides which of any number of devices runs which node, from
// numbers alone.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_SOLVE_PLACEMENT_H_
#define MACE_PLAN_STAGES_SOLVE_PLACEMENT_H_

#include <vector>

namespace mace {

// Every tensor resides on the device that computes it. Moving it to another
// device is paid once for all nodes that read it there, and moving it back to
// the host once for all nodes that read it elsewhere. Between two other devices
// it moves by way of the host.
struct PlacementProblem {
  // Stands for the caller, as a tensor's producer or reader on the host.
  static constexpr int kHost = -1;
  // The cost of a node on a device that cannot run it.
  static constexpr double kImpossible = 1e18;

  struct Tensor {
    int producer = kHost;         // a node
    std::vector<int> readers;     // nodes, or kHost
    std::vector<double> move_us;  // by device: from the host or to it
  };

  int num_devices = 1;  // the last one is the host: moving costs it nothing
  std::vector<std::vector<double>> node_us;  // by node, then by device
  std::vector<Tensor> tensors;
};

// Returns the cost of running nodes and moving tensors. `devices` is by node.
double CostOf(const PlacementProblem& problem, const std::vector<int>& devices);

// Returns a device for each node that can run it, at a low total cost. With two
// devices, no placement costs less; of several equally good ones, it is the one
// with most nodes on the first device. With more devices, no placement costs
// less that uses two of them (and a third for nodes that neither can run), or
// that differs only by nodes that move to one device; but costs are rounded to
// 0.001 us. REQUIRES: every node has a device that can run it.
//
// Source of the moves: Boykov, Veksler and Zabih, "Fast approximate energy
// minimization via graph cuts", 2001 (expansion moves). The costs of moving
// tensors permit an exact cut for each expansion move.
std::vector<int> SolvePlacement(const PlacementProblem& problem);

}  // namespace mace

#endif  // MACE_PLAN_STAGES_SOLVE_PLACEMENT_H_
