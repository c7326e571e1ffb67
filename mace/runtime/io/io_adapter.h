// IoAdapter: changes the tensors of a run on their way to a plan and back.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_IO_ADAPTER_H_
#define MACE_RUNTIME_IO_IO_ADAPTER_H_

#include <map>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/public/mace.h"

namespace mace {

// An engine has a list of adapters. A run applies them in order, and undoes
// them in reverse. They are given the graph of the latest plan, which after the
// run may be that of other shapes than before:
//
//   caller's tensors -> Adapt 1 -> Adapt 2 -> plan -> Restore 2 -> Restore 1
class IoAdapter {
 public:
  using Tensors = std::map<std::string, MaceTensor>;

  virtual ~IoAdapter() = default;

  // Whether a run of `graph` with these tensors needs the adapter. Allocates
  // nothing.
  virtual bool AppliesTo(const Graph& graph, const Tensors& inputs,
                         const Tensors& outputs) const = 0;

  // Makes the tensors those that the plan of `graph` takes. They are copies:
  // the memory that they point to is the caller's.
  virtual Status Adapt(const Graph& graph, Tensors* inputs,
                       Tensors* outputs) = 0;

  // After a run that succeeded: makes what it wrote, `written`, the `outputs`
  // for which Adapt was called.
  virtual Status Restore(const Graph& graph, Tensors written,
                         Tensors* outputs) = 0;
};

}  // namespace mace

#endif  // MACE_RUNTIME_IO_IO_ADAPTER_H_
