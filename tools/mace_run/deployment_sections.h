// ReadSections: the keys of a deployment file that mace_run uses.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_DEPLOYMENT_SECTIONS_H_
#define TOOLS_MACE_RUN_DEPLOYMENT_SECTIONS_H_

#include <yaml-cpp/yaml.h>

#include <string>

#include "tools/mace_run/deployment.h"

namespace mace::tools {

// `root` is the whole file, whose `path` messages begin with. Errors:
// MACE_INVALID_ARGS with all problems, their lines and cures. Throws what
// yaml-cpp throws.
Result<Deployment> ReadSections(const YAML::Node& root,
                                const std::string& path);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_DEPLOYMENT_SECTIONS_H_
