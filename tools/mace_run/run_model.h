// Loading a model, running it some times, and what came of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_RUN_MODEL_H_
#define TOOLS_MACE_RUN_RUN_MODEL_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace.h"
#include "tools/mace_run/options.h"

namespace mace::tools {

struct RunResult {
  double init_ms = 0;               // load and create
  std::optional<double> warmup_ms;  // the first warm-up run, if there is one
  std::vector<double> run_ms;
  std::vector<MaceTensorInfo> inputs, outputs;
  std::map<std::string, MaceTensor> output_tensors;
  std::string memory_json;  // empty unless options.json_file is given
  // Since the start: once created, before the last run, and after it.
  MaceDeviceCounts created, before_last, after_last;
};

// Load the model of a job, and make the configuration of its engine, as the
// flags say. Errors: of loading; of settings and files that flags name.
Result<std::shared_ptr<MaceModel>> LoadModelOf(const Job& job,
                                               const Options& options);
Result<MaceEngineConfig> ConfigOf(const Options& options);

// A model that is loaded, with inputs and an engine.
class Session {
 public:
  // Errors: of loading, of creating, of reading inputs.
  static Result<Session> Open(const Job& job, const Options& options);

  MaceEngine& engine() { return *engine_; }
  double init_ms() const { return init_ms_; }

  // Runs once, and returns the milliseconds that took. Errors: of the engine.
  Result<double> Run(RunMetadata* metadata = nullptr);

  const std::map<std::string, MaceTensor>& outputs() const { return outputs_; }

 private:
  Status LoadInputs(const Job& job, const Options& options);

  std::shared_ptr<MaceModel> model_;
  std::shared_ptr<MaceEngine> engine_;
  std::map<std::string, MaceTensor> inputs_, outputs_;
  double init_ms_ = 0;
  double deadline_ms_ = 0;  // of each run; 0: none
};

// Opens, warms up, runs options.round times and writes the outputs to
// job.output_dir if given.
Result<RunResult> RunModel(const Job& job, const Options& options);

// Returns the names of the files of outputs, by the names of the outputs. They
// differ, and depend on the set of names only. tools/mace_tools/run/runner.py
// does the same.
std::map<std::string, std::string> FilesOf(std::vector<std::string> names);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_RUN_MODEL_H_
