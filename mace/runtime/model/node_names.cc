// Checks the names of nodes that settings mention.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/model/node_names.h"

#include <set>

#include "mace/base/str_cat.h"

namespace mace {
namespace {

constexpr size_t kMaxListed = 8;  // names in a message

}  // namespace

Status CheckNodeNames(const Graph& graph,
                      const std::vector<std::string>& names) {
  std::set<std::string> known;
  if (!names.empty()) {
    for (const GraphNode& g : graph.nodes) known.insert(g.node.name);
  }
  for (const std::string& name : names) {
    if (known.count(name) > 0) continue;
    std::string some;
    size_t listed = 0;
    for (const std::string& k : known) {
      if (listed++ == kMaxListed) break;
      some += StrCat(some.empty() ? "'" : ", '", k, "'");
    }
    return InvalidArgument("float32_nodes: the model has no node named '", name,
                           "'; it has ", some,
                           known.size() > kMaxListed ? ", ..." : "",
                           " (mace_run --dump=plan shows all)");
  }
  return Status();
}

}  // namespace mace
