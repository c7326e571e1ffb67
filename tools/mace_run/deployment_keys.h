// The keys that a deployment file may have, as the converter's schema lists
// them: deployment_keys.json, which
// tools/mace_tools/generate/deployment_keys.py writes.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_DEPLOYMENT_KEYS_H_
#define TOOLS_MACE_RUN_DEPLOYMENT_KEYS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mace::tools {

// {section: {key: an example of its value}} for the sections library, model,
// subgraph and preprocess; "foreign" (keys of other releases), "runtimes",
// "kernel_micros" and "max_bytes".
const nlohmann::ordered_json& DeploymentKeys();

// What is wrong with the name of a key in a section, and the cure; empty:
// nothing.
std::string ProblemOfKey(const std::string& section, const std::string& key);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_DEPLOYMENT_KEYS_H_
