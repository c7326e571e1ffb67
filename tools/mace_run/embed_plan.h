// Storing a memory plan in a model file.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_EMBED_PLAN_H_
#define TOOLS_MACE_RUN_EMBED_PLAN_H_

#include <string>

#include "mace/base/status.h"

namespace mace::tools {

// Writes to `path` the graph in `model_file` with the plan that `memory_json`
// (MaceEngine::Dump) tells of. Atomic. Errors: of reading and writing, and
// MACE_INVALID_MODEL if the model cannot be parsed. REQUIRES: `memory_json` is
// what the engine dumped.
Status EmbedMemoryPlan(const std::string& model_file,
                       const std::string& memory_json, const std::string& path);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_EMBED_PLAN_H_
