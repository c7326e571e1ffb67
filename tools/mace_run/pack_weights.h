// Packing a model's weights ahead, for --pack_weights.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_PACK_WEIGHTS_H_
#define TOOLS_MACE_RUN_PACK_WEIGHTS_H_

#include <map>
#include <string>

#include "mace/base/status.h"
#include "tools/mace_run/options.h"

namespace mace::tools {

// Writes `prefix`.pb and `prefix`.data: the model of `job` with its weights as
// the kernels of instruction set `isa` want them besides the plain ones, with
// the settings of the model but for those of `settings`.
// Errors: of loading and planning; MACE_INVALID_ARGS if this program or CPU
// cannot pack for `isa`; MACE_OUT_OF_RESOURCES.
Status PackWeights(const Job& job, const std::string& isa,
                   const std::map<std::string, std::string>& settings,
                   const std::string& prefix);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_PACK_WEIGHTS_H_
