// The checksum of a graph is the last field of its file.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/write_graph.h"

#include "mace/base/file.h"
#include "mace/base/hash.h"

namespace mace::tools {

Status WriteGraph(proto::NetDef net, const std::string& path) {
  net.clear_graph_xxh3();
  std::string bytes = net.SerializeAsString();
  proto::NetDef checksum;
  checksum.set_graph_xxh3(
      Hash64(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  bytes += checksum.SerializeAsString();
  return WriteFileAtomically(path, bytes.data(), bytes.size());
}

}  // namespace mace::tools
