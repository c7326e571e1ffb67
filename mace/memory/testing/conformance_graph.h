// Reads the graphs of the conformance files for arena planners.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_CONFORMANCE_GRAPH_H_
#define MACE_MEMORY_TESTING_CONFORMANCE_GRAPH_H_

#include <vector>

#include "mace/memory/testing/compat/arena_graph.h"
#include "mace/memory/testing/conformance_file.h"

namespace mace::memory {

// Returns the graph of a case: lists of tensor ids "inputs", "outputs" and
// "variables", the "ops" with the lists "in", "out", "tmp" and "inplace"
// (indices of inputs) and with "unmodified", and by tensor "tensor_bytes" and
// "tensor_type" ("arena" unless "persistent" or "dynamic").
inline ArenaGraph GraphFrom(const Json& j) {
  const auto ids = [](const Json& o, const char* key) {
    return o.value(key, std::vector<int32_t>());
  };
  ArenaGraph g;
  g.inputs = ids(j, "inputs");
  g.outputs = ids(j, "outputs");
  g.variables = ids(j, "variables");
  for (const Json& o : j["ops"]) {
    g.ops.push_back({ids(o, "in"), ids(o, "out"), ids(o, "tmp"),
                     ids(o, "inplace"), o.value("unmodified", false)});
  }
  g.tensor_bytes = j["tensor_bytes"].get<std::vector<size_t>>();
  g.tensor_class.assign(g.tensor_bytes.size(), TensorClass::kArena);
  const Json types = j.value("tensor_type", Json::array());
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "persistent") g.tensor_class[i] = TensorClass::kPersistent;
    if (types[i] == "dynamic") g.tensor_class[i] = TensorClass::kDynamic;
  }
  return g;
}

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_CONFORMANCE_GRAPH_H_
