// Graph: a graph in the DSP's hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_NNLIB_GRAPH_H_
#define MACE_HEXAGON_NNLIB_GRAPH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "mace/base/status.h"
#include "mace/hexagon/nnlib/graph_builder.h"
#include "mace/hexagon/nnlib/library.h"

namespace mace::hexagon::nnlib {

// What an operation took on average over all runs, by its id (Operation::id).
struct NodeTime {
  uint32_t id = 0;
  int64_t micros = 0;
};

// Not thread-safe. Exists on the DSP from Create to the destructor.
class Graph {
 public:
  // Hands the graph over and prepares it. `mode` is its graph mode, 0: the
  // library's; ignored if the library has none. The builder is not needed
  // afterwards. Errors: of builder.status() and Library::CheckUsable;
  // MACE_OUT_OF_RESOURCES and MACE_RUNTIME_ERROR as CallError; always
  // MACE_RUNTIME_ERROR if the graph cannot be prepared, after which the library
  // is given up (Library::GiveUp). Nothing is left on the DSP after an error.
  static Result<std::unique_ptr<Graph>> Create(std::shared_ptr<Library> library,
                                               const GraphBuilder& builder,
                                               int mode);
  ~Graph();

  // Computes and waits. Tensors are in the order of the operations INPUT and
  // OUTPUT, and have the shapes declared there; their data is the caller's. The
  // library copies inputs that are not aligned to 128 bytes. Errors:
  // MACE_RUNTIME_ERROR, also if an output has not the declared shape or bytes.
  Status Execute(const std::vector<NnTensorDef>& inputs,
                 std::vector<NnTensorDef>* outputs);

  // Returns the times of operations that have run; the library may have fused
  // some, or added its own. Empty if the library cannot measure. Errors: as
  // CallError.
  Result<std::vector<NodeTime>> Times() const;

 private:
  explicit Graph(std::shared_ptr<Library> library)
      : library_(std::move(library)) {}
  Status Append(const GraphBuilder& builder) const;
  // A status for a call that failed, with what the library logged.
  Status Error(const char* call, int code) const;

  const std::shared_ptr<Library> library_;
  int id_ = 0;
  bool exists_ = false;
  bool measures_ = false;
  size_t num_nodes_ = 0;
};

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_GRAPH_H_
