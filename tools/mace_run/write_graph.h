// Writing a graph with its checksum.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_WRITE_GRAPH_H_
#define TOOLS_MACE_RUN_WRITE_GRAPH_H_

#include <string>

#include "mace/base/status.h"
#include "mace/proto/mace.pb.h"

namespace mace::tools {

// Recomputes NetDef::graph_xxh3 and writes `net` to `path`. Atomic. Errors: as
// WriteFileAtomically.
Status WriteGraph(proto::NetDef net, const std::string& path);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_WRITE_GRAPH_H_
