// --generate: texts of a language model.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_GENERATE_H_
#define TOOLS_MACE_RUN_GENERATE_H_

#include <nlohmann/json.hpp>

#include "mace/base/status.h"
#include "tools/mace_run/options.h"

namespace mace::tools {

// Writes the text that follows each prompt to stdout as it is made, and to
// stderr how fast that was. Returns {"generations": [{text, tokens, ...}]}.
// Errors: of reading, loading and generating; the first one ends it.
Result<nlohmann::json> GenerateTexts(const Options& options);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_GENERATE_H_
