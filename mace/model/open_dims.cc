// Checks of dimensions that are open, of their names and of their limits.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/open_dims.h"

#include <algorithm>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/model/text.h"

namespace mace {
namespace {

Status CheckCount(size_t count, size_t dims, const char* list,
                  const std::string& what) {
  if (count == 0 || count == dims) return Status();
  return InvalidModel(what, ": has ", count, " ", list, " for ", dims,
                      " dimensions");
}

Status CheckMost(const OpenDims& open, const std::string& what) {
  for (size_t d = 0; d < open.most.size(); ++d) {
    const int64_t most = open.most[d];
    const int64_t fixed = open.dims[d];
    if (most >= 1 && fixed == -1) continue;
    if (most == fixed && fixed != -1) continue;
    return InvalidModel(
        what, ": the largest extent of dimension ", d, " is ", most,
        fixed == -1 ? ", it must be at least 1" : ", but its extent is ",
        fixed == -1 ? "" : std::to_string(fixed));
  }
  return Status();
}

Result<OpenDims> Read(const stored::TensorInfo& info, const std::string& what) {
  OpenDims open;
  for (const int64_t extent : info.dims) {
    if (extent < -1) {
      return InvalidModel(what, ": the extent ", extent,
                          " is negative; -1 stands for one that each run "
                          "chooses");
    }
    open.dims.push_back(extent);
  }
  for (const std::string_view name : info.dim_names) {
    MACE_RETURN_IF_ERROR(CheckText(name, what, ": the name of a dimension"));
    open.names.emplace_back(name);
  }
  for (const int64_t most : info.max_dims) open.most.push_back(most);
  const size_t dims = open.dims.size();
  MACE_RETURN_IF_ERROR(
      CheckCount(open.names.size(), dims, "names of dimensions", what));
  MACE_RETURN_IF_ERROR(
      CheckCount(open.most.size(), dims, "largest extents", what));
  MACE_RETURN_IF_ERROR(CheckMost(open, what));
  open.names.resize(dims);
  return open;
}

Shape ClosedShape(const OpenDims& open) {
  Shape shape = open.dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) shape[d] = open.most.empty() ? 1 : open.most[d];
  }
  return shape;
}

}  // namespace

Status ReadOpenDims(const stored::TensorInfo& info, const std::string& what,
                    OpenDims* open, Shape* shape) {
  MACE_ASSIGN_OR_RETURN(*open, Read(info, what));
  *shape = ClosedShape(*open);
  return Status();
}

bool HasOpenDims(const OpenDims& open) {
  return std::count(open.dims.begin(), open.dims.end(), -1) > 0;
}

bool MayBe(const OpenDims& open, const Shape& shape) {
  if (shape.size() != open.dims.size()) return false;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool fits =
        open.dims[d] == -1
            ? shape[d] >= 0 && (open.most.empty() || shape[d] <= open.most[d])
            : shape[d] == open.dims[d];
    if (!fits) return false;
  }
  return true;
}

Status CheckOpenDims(const Graph& graph, const std::map<int, OpenDims>& open) {
  std::map<std::string, std::pair<int64_t, int>> most;  // and whose it is
  for (const auto& [id, o] : open) {
    for (size_t d = 0; d < o.dims.size(); ++d) {
      if (o.dims[d] != -1 || o.names[d].empty()) continue;
      const int64_t limit = o.most.empty() ? -1 : o.most[d];
      const auto known = most.insert({o.names[d], {limit, id}}).first->second;
      if (known.first == limit) continue;
      const auto text = [](int64_t m) {
        return m < 0 ? std::string("none") : std::to_string(m);
      };
      return InvalidModel(
          "model input '", graph.values[id].name, "': the largest extent of '",
          o.names[d], "' is ", text(limit), ", that of model input '",
          graph.values[known.second].name, "' ", text(known.first));
    }
  }
  return Status();
}

}  // namespace mace
