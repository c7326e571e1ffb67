// What writes models, in a mace_run for Android, which has no protobuf.
// SPDX-License-Identifier: Apache-2.0
#include "tools/mace_run/embed_plan.h"
#include "tools/mace_run/pack_weights.h"

namespace mace::tools {
namespace {

Status Absent(const char* option) {
  return Unsupported(
      "--", option,
      ": the mace_run for Android writes no models; use that of the machine "
      "that converts them (bazel build //tools:mace_run)");
}

}  // namespace

Status EmbedMemoryPlan(const std::string& /*model_file*/,
                       const std::string& /*memory_json*/,
                       const std::string& /*path*/) {
  return Absent("embed_memory_plan");
}

Status PackWeights(const Job& /*job*/, const std::string& /*isa*/,
                   const std::map<std::string, std::string>& /*settings*/,
                   const std::string& /*prefix*/) {
  return Absent("pack_weights");
}

}  // namespace mace::tools
