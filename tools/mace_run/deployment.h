// What a deployment file says about running its models. Reading one takes
// yaml-cpp; docs/converter.md describes the file.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_DEPLOYMENT_H_
#define TOOLS_MACE_RUN_DEPLOYMENT_H_

#include <map>
#include <string>
#include <vector>

#include "mace/base/status.h"

namespace mace::tools {

struct DeployedModel {
  std::string name;  // of its files, too
  std::string runtime;
  int runtime_line = 0;
  // As MaceEngineConfig::Set takes them, by the names of settings.
  std::map<std::string, std::string> settings;
  std::map<std::string, std::vector<float>> input_ranges;  // name -> {lo, hi}
};

struct Deployment {
  std::string file;
  std::string library_name;
  std::vector<DeployedModel> models;  // in the order of the file
};

// Keys that only concern conversion are known by name, and their values are
// not looked at. Errors: as MappedFile::Open, and MACE_INVALID_ARGS: if it is
// no regular file, too large or no text, else with what is wrong in it, each
// problem with its line (at most 50).
Result<Deployment> ReadDeployment(const std::string& path);

// The same for a file that has been read; `path` is for messages.
Result<Deployment> ParseDeployment(const std::string& text,
                                   const std::string& path);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_DEPLOYMENT_H_
