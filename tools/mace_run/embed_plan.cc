// A plan from JSON into the graph's protobuf.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/embed_plan.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "mace/base/file.h"
#include "mace/proto/mace.pb.h"
#include "tools/mace_run/write_graph.h"

namespace mace::tools {

Status EmbedMemoryPlan(const std::string& model_file,
                       const std::string& memory_json,
                       const std::string& path) {
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(model_file));
  proto::NetDef net;
  if (!net.ParseFromArray(file.data(), static_cast<int>(file.size()))) {
    return InvalidModel("model '" + model_file + "' cannot be parsed");
  }
  const auto json = nlohmann::json::parse(memory_json, nullptr, false);
  MACE_ENSURE(!json.is_discarded());
  proto::MemoryPlan* plan = net.mutable_memory_plan();
  plan->Clear();
  plan->set_version(1);
  plan->set_records_hash(json["records_hash"].get<uint64_t>());
  for (const auto& offset : json["offsets"]) {
    plan->add_offsets(offset.get<int64_t>());
  }
  plan->set_total_bytes(json["total_size"].get<int64_t>());
  plan->set_lower_bound_bytes(json["bound"].get<int64_t>());
  plan->set_optimal(json["status"] == "optimal");
  return WriteGraph(std::move(net), path);
}

}  // namespace mace::tools
