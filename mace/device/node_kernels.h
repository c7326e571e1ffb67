// NodeKernels: the part of a device that runs nodes one by one.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_NODE_KERNELS_H_
#define MACE_DEVICE_NODE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace {

// The cost of running a node.
struct NodeWork {
  int64_t macs = 0;           // as Kernel::macs
  bool renames_only = false;  // as Kernel::renames_only
  // Bytes of the node's constants that Run reads, if the device keeps them in
  // fewer bytes than their types have; -1: the bytes of their types.
  int64_t constant_bytes = -1;
};

// One of the nodes that run as one kernel: each but the first reads output 0 of
// the one before as its input `previous`, and nothing else reads it. The kernel
// gets the other inputs of all nodes, in their order.
struct FusedNode {
  const Node* node = nullptr;
  int previous = -1;
  int same = -1;  // another input, which is input 0 of the first node
};

class NodeKernels {
 public:
  virtual ~NodeKernels() = default;

  // Returns the cost of `node`, whose types are inferred, if this device can
  // run it; Prepare then accepts it. Packs, compiles and uploads nothing.
  // Errors: MACE_UNSUPPORTED, naming the node and what is missing;
  // MACE_OUT_OF_RESOURCES.
  virtual Result<NodeWork> Supports(const Node& node) = 0;

  // Does all one-time work for a node that Supports accepts: chooses a
  // micro-kernel, packs weights, asks for a program. Errors: MACE_UNSUPPORTED
  // for another node; MACE_OUT_OF_RESOURCES; of a driver.
  virtual Result<KernelPtr> Prepare(const Node& node) = 0;

  // Returns one kernel for nodes that were all prepared, if that is faster than
  // one kernel after the other and gives the same bits, or rounds less often.
  // Its inputs are those of the nodes in turn but for the `previous` ones, its
  // output is that of the last node. REQUIRES: `nodes` is not empty. Errors: as
  // Prepare; MACE_UNSUPPORTED if the nodes stay apart.
  virtual Result<KernelPtr> PrepareFused(const std::vector<FusedNode>& nodes);

  // Compiles what the kernels prepared so far need; before their first Run.
  virtual Status FinishPrepare() { return Status(); }

  // Whether Prepare of such a node takes input `i` as it is stored, as fp16 or
  // quantized (Operand::stored), and Run does not read it. If not, both see
  // float32.
  virtual bool TakesFp16(const Node& /*node*/, size_t /*i*/) const {
    return false;
  }

  // Whether Prepare also takes such a node with f16 instead of f32 in all
  // activations that it reads and writes, and that is faster; its constants
  // stay as they are.
  virtual bool ComputesFp16(const Node& /*node*/) const { return false; }
};

}  // namespace mace

#endif  // MACE_DEVICE_NODE_KERNELS_H_
