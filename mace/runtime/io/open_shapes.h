// OpenShapes: which shapes of its inputs an engine takes, where the model
// leaves dimensions open.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_OPEN_SHAPES_H_
#define MACE_RUNTIME_IO_OPEN_SHAPES_H_

#include <map>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/model/model.h"

namespace mace {

// Immutable, so any number of threads may use it at once.
class OpenShapes {
 public:
  OpenShapes() = default;
  // `open` is that of the model, by value id. The first `count` inputs of a
  // graph are those of the model; states follow them, which have shapes of
  // their own.
  OpenShapes(const std::map<int, OpenDims>& open, size_t count)
      : open_(open), count_(count) {}

  // Whether the model has no open dimensions: then Check accepts all shapes,
  // and inference decides.
  bool empty() const { return open_.empty(); }

  // Whether there are open dimensions, and each has a largest extent.
  bool is_bounded() const;

  // Checks the shapes of all inputs of `graph`, in its order. REQUIRES: they
  // have the ranks that the graph has. Errors:
  // MACE_INVALID_ARGS, with the input, the dimension and its extent, for one
  // above the largest, one other than what the model fixes, and two that differ
  // although they have the same name.
  Status Check(const Graph& graph, const std::vector<Shape>& shapes) const;

  // Returns the shapes of the inputs with `extent` for all dimensions that have
  // no largest extent, and the largest ones of the others.
  std::vector<Shape> WithExtent(const Graph& graph, int64_t extent) const;

 private:
  // Returns the open dimensions of an input; null: it has none.
  const OpenDims* Of(int id) const;

  std::map<int, OpenDims> open_;
  size_t count_ = 0;
};

}  // namespace mace

#endif  // MACE_RUNTIME_IO_OPEN_SHAPES_H_
