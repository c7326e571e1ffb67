// Packing a model's weights ahead, for --pack_weights.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_PACK_WEIGHTS_H_
#define TOOLS_MACE_RUN_PACK_WEIGHTS_H_

#include <map>
#include <string>

#include "mace/base/status.h"
#include "tools/mace_run/options.h"

namespace mace::tools {

// Writes `prefix`.pb and `prefix`.data: the model of `job` with its weights, to
// which it adds what the kernels of instruction set `isa` ("host": this CPU's)
// pack of them. Plans with `settings` and, for the others, the model's.
// Errors: of loading, planning and writing; MACE_INVALID_ARGS for a setting, or
// if this program or CPU cannot pack for `isa`; MACE_OUT_OF_RESOURCES.
Status PackWeights(const Job& job, const std::string& isa,
                   const std::map<std::string, std::string>& settings,
                   const std::string& prefix);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_PACK_WEIGHTS_H_
