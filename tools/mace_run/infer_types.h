// --infer_types: what shape inference makes of models, without running them.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_INFER_TYPES_H_
#define TOOLS_MACE_RUN_INFER_TYPES_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "tools/mace_run/options.h"

namespace mace::tools {

// For each model {"error": message} or {"types": {tensor: [type, extents]}},
// whether or not a device could run it.
nlohmann::json InferTypes(const std::vector<Job>& jobs);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_INFER_TYPES_H_
