// RegionKernels: the part of a device that runs whole regions of a graph, and
// not single nodes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_REGION_KERNELS_H_
#define MACE_DEVICE_REGION_KERNELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/kernel.h"
#include "mace/device/node_kernels.h"
#include "mace/graph/graph.h"

namespace mace {

// Nodes that run as one kernel. No node outside of the region lies on a path
// from one of them to another.
struct Region {
  const Graph* graph = nullptr;
  std::vector<int> nodes;    // indices of graph->nodes, in execution order
  std::vector<int> inputs;   // value ids: not constant, made outside, read here
  std::vector<int> outputs;  // value ids: made here, read outside (or all)
};

// A node of a region, for reports.
struct RegionPart {
  std::string op, name;
  TensorType output;
  int64_t macs = 0;
  // What the device counted in the latest Run, such as packets of instructions;
  // below 0: it did not.
  int64_t count = -1;
};

class RegionKernels {
 public:
  virtual ~RegionKernels() = default;

  // Returns the cost of `node` if this device can run it in a region. Does no
  // one-time work. PrepareRegion accepts each region of nodes that Supports
  // accepts. Errors: MACE_UNSUPPORTED.
  virtual Result<NodeWork> Supports(const Node& node) = 0;

  // Does all one-time work for a region. The inputs and outputs of the kernel
  // are those of the region, in their order. The kernel may keep pointers to
  // the values' constants, and to nothing else of the graph.
  // Errors: MACE_OUT_OF_RESOURCES, after which the region falls back to the
  // host's device; of a driver.
  virtual Result<KernelPtr> PrepareRegion(const Region& region) = 0;

  // Returns the nodes of a kernel of PrepareRegion in execution order; none if
  // the device knows nothing about single nodes.
  virtual std::vector<RegionPart> PartsOf(Kernel& /*kernel*/) { return {}; }
  // What RegionPart::count counts: "packets".
  virtual const char* count_unit() const { return ""; }
};

}  // namespace mace

#endif  // MACE_DEVICE_REGION_KERNELS_H_
