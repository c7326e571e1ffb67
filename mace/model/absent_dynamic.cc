// Loads no model with dynamic dimensions, states or control flow.
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "mace/base/components.h"
#include "mace/model/later_parts.h"
#include "mace/model/open_dims.h"

namespace mace {

Status CheckDynamic(const stored::NetDef& net) {
  bool any = AnyOpenDims(net.input_info);
  for (const stored::Variable& variable : net.variables) {
    any = any || AnyOpenDims(variable.tensor);
  }
  if (any) return AbsentComponent("a model with open dimensions", "dynamic");
  if (!net.subgraphs.empty()) {
    return AbsentComponent("a model with branches or loops", "dynamic");
  }
  return net.variables.empty()
             ? Status()
             : AbsentComponent("a model with states", "dynamic");
}

Status AddSubgraphs(const stored::NetDef&, const GraphBuilder&,
                    std::set<std::string_view>*, Subgraphs*) {
  return Status();
}

Status AddVariables(const stored::NetDef&, GraphBuilder*) { return Status(); }

Result<std::vector<StateVariable>> ReadVariables(const stored::NetDef&,
                                                 const GraphBuilder&) {
  return std::vector<StateVariable>();
}

Status ReadOpenDims(const stored::TensorInfo&, const std::string&, OpenDims*,
                    Shape*) {
  return Status();
}

bool HasOpenDims(const OpenDims&) { return false; }

Status CheckOpenDims(const Graph&, const std::map<int, OpenDims>&) {
  return Status();
}

}  // namespace mace
