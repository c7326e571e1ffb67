// SolvePlacement: which of any number of devices runs which node, as numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PLACEMENT_H_
#define MACE_PLAN_PLACEMENT_H_

#include <vector>

namespace mace {

// Every tensor resides where the device works that makes it. Moving one to a
// device is paid once for all that read it there, and moving it back to the
// host once for all that read it elsewhere; between two devices it goes by way
// of the host.
struct PlacementProblem {
  // What makes a tensor that does not come from a node, or reads it too.
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

// What running and moving cost. `devices`: by node.
double CostOf(const PlacementProblem& problem, const std::vector<int>& devices);

// A device for each node, none that is impossible, of low cost. With two
// devices no placement costs less. With more, none costs less that uses two of
// them (and a third for nodes that neither can run), nor any that differs by
// nodes that go to one device. Of several of the same cost with two devices,
// the one with most nodes on the first. REQUIRES: a possible device for each
// node.
//
// Source of the moves: Boykov, Veksler and Zabih, "Fast approximate energy
// minimization via graph cuts", 2001 (expansion moves). A tensor's cost of
// moving allows the exact cut for each move.
std::vector<int> SolvePlacement(const PlacementProblem& problem);

}  // namespace mace

#endif  // MACE_PLAN_PLACEMENT_H_
