// Which engines a deployment file asks for, and with which flags each runs.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_DEPLOYED_RUNS_H_
#define TOOLS_MACE_RUN_DEPLOYED_RUNS_H_

#include <string>
#include <vector>

#include "mace/base/status.h"
#include "tools/mace_run/deployment.h"
#include "tools/mace_run/options.h"

namespace mace::tools {

// One model on one device.
struct DeployedRun {
  std::string model;
  std::string device;  // CPU, GPU or HEXAGON
  Options options;     // with one job
};

// Returns the models that the flags choose. Errors: MACE_INVALID_ARGS if the
// file has no model named --model_name, or if a flag that is of one model or of
// one run meets several.
Result<std::vector<DeployedModel>> ChooseModels(const Deployment& deployment,
                                                const Options& options);

// Returns a run for each model and device, in the order of the file. What flags
// say overrides what the file says. Errors: MACE_INVALID_ARGS for a model whose
// converted files are missing.
Result<std::vector<DeployedRun>> RunsOf(
    const Deployment& deployment, const std::vector<DeployedModel>& models,
    const Options& options);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_DEPLOYED_RUNS_H_
