// Checks of shapes against the open dimensions of a model.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/open_shapes.h"

#include <string>

#include "mace/base/search.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

std::string Dimension(const Graph& graph, size_t input, size_t d,
                      const std::string& name) {
  return StrCat("dimension ", d, name.empty() ? "" : StrCat(" ('", name, "')"),
                " of input '", graph.values[graph.inputs[input]].name, "'");
}

// The first dimension that has a name.
struct Named {
  size_t input, dim;
  int64_t extent;
};

}  // namespace

const OpenDims* OpenShapes::Of(int id) const {
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : &found->second;
}

bool OpenShapes::is_bounded() const {
  return !empty() &&
         AllOf(open_, [](const auto& one) { return !one.second.most.empty(); });
}

Status OpenShapes::Check(const Graph& graph,
                         const std::vector<Shape>& shapes) const {
  if (empty()) return Status();
  std::map<std::string, Named> named;
  for (size_t i = 0; i < count_; ++i) {
    const OpenDims* open = Of(graph.inputs[i]);
    const Shape& fixed = graph.values[graph.inputs[i]].type.shape;
    for (size_t d = 0; d < shapes[i].size(); ++d) {
      const int64_t extent = shapes[i][d];
      if (open == nullptr || open->dims[d] != -1) {
        if (extent == fixed[d]) continue;
        return InvalidArgument(
            Dimension(graph, i, d, ""), " is ", extent, " in ",
            ToString(shapes[i]), ", but the model was converted for ", fixed[d],
            "; give that, or convert it again with a name or -1 there in ",
            "input_shapes");
      }
      const std::string& name = open->names[d];
      if (!open->most.empty() && extent > open->most[d]) {
        return InvalidArgument(
            Dimension(graph, i, d, name), " is ", extent, " in ",
            ToString(shapes[i]), ", above the ", open->most[d],
            " of its max_shape ", ToString(open->most),
            "; give less, or convert the model again with a larger max_shape");
      }
      if (name.empty()) continue;
      const Named first = named.insert({name, {i, d, extent}}).first->second;
      if (first.extent == extent) continue;
      return InvalidArgument(
          Dimension(graph, i, d, name), " is ", extent, ", but ",
          Dimension(graph, first.input, first.dim, name), " is ", first.extent,
          "; dimensions of the same name must be equal in each run");
    }
  }
  return Status();
}

std::vector<Shape> OpenShapes::WithExtent(const Graph& graph,
                                          int64_t extent) const {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const int id = graph.inputs[i];
    shapes.push_back(graph.values[id].type.shape);
    const OpenDims* open = i < count_ ? Of(id) : nullptr;
    if (open == nullptr || !open->most.empty()) continue;
    for (size_t d = 0; d < open->dims.size(); ++d) {
      if (open->dims[d] == -1) shapes.back()[d] = extent;
    }
  }
  return shapes;
}

}  // namespace mace
