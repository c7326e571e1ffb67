// From a deployment file and flags to runs.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/deployed_runs.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "mace/runtime/settings/setting_values.h"
#include "tools/cli/flags.h"

namespace mace::tools {
namespace {

namespace fs = std::filesystem;

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// By the names of deployment files and of --device.
std::string DeviceOfRuntime(const std::string& runtime) {
  return runtime == "gpu" ? "GPU" : runtime == "dsp" ? "HEXAGON" : "CPU";
}
std::string RuntimeOf(const std::string& device) {
  return device == "GPU" ? "gpu" : device == "HEXAGON" ? "dsp" : "cpu";
}

// One device or two, in the order in which they run.
std::vector<std::string> DevicesOf(const DeployedModel& model,
                                   const Options& options) {
  if (options.given.count("device")) return {options.device};
  const size_t plus = model.runtime.find('+');
  if (plus == std::string::npos) return {DeviceOfRuntime(model.runtime)};
  return {DeviceOfRuntime(model.runtime.substr(0, plus)),
          DeviceOfRuntime(model.runtime.substr(plus + 1))};
}

// The first of the flags that say something of a single model.
std::string FlagOfAModel(const Options& o) {
  const Job& job = o.jobs[0];
  if (!job.inputs.empty()) return "--input";
  if (!job.input_shapes.empty()) return "--input_shape";
  return job.outputs.empty() ? "" : "--output";
}

// The first of the flags that are of a single run.
std::string FlagOfARun(const Options& o) {
  if (!o.trace_file.empty()) return "--trace";
  if (!o.offline_memory_plan.empty()) return "--offline_memory_plan";
  if (!o.embed_memory_plan.empty()) return "--embed_memory_plan";
  if (!o.pack_weights.empty()) return "--pack_weights";
  if (o.interactive) return "--interactive";
  return o.infer_types ? "--infer_types" : "";
}

// Where tools/converter.py puts models: below the working folder; or below the
// folder of the deployment file, if a user moved it there.
Result<fs::path> FolderOf(const Deployment& deployment, const std::string& name,
                          const Options& options) {
  const fs::path below = fs::path("build") / deployment.library_name / "model";
  std::vector<fs::path> folders = {
      below, fs::path(deployment.file).parent_path() / below};
  if (!options.model_dir.empty()) folders = {options.model_dir};
  std::string seen;
  for (const fs::path& folder : folders) {
    const fs::path graph = folder / (name + ".pb");
    const fs::path weights = folder / (name + ".data");
    if (IsFile(graph) && IsFile(weights)) return folder;
    const std::string lacks = (IsFile(graph) ? weights : graph).string();
    if (seen != lacks) seen += (seen.empty() ? "" : " and no ") + lacks;
  }
  return InvalidArgument(
      "model '" + name + "' is not converted: there is no " + seen +
      "; `tools/converter.py convert --config=" + deployment.file +
      "` makes it, and --model_dir=FOLDER says where it was put");
}

// The settings of the file that no flag chose, as far as the device has them.
void FillSettings(const DeployedModel& model, const std::string& device,
                  Options* options) {
  for (const SettingInfo& info : AllSettings()) {
    const Setting& setting = info.setting;
    const auto found = model.settings.find(setting.name);
    const bool is_of_device =
        setting.device.empty() || setting.device == RuntimeOf(device);
    if (found == model.settings.end() || !is_of_device) continue;
    if (options->given.count(setting.name)) continue;
    options->settings[setting.name] = found->second;
  }
}

}  // namespace

Result<std::vector<DeployedModel>> ChooseModels(const Deployment& deployment,
                                                const Options& options) {
  std::vector<DeployedModel> chosen;
  std::vector<std::string> names;
  std::string list;
  size_t num_runs = 0;
  for (const DeployedModel& model : deployment.models) {
    names.push_back(model.name);
    list += (list.empty() ? "" : ", ") + model.name;
    if (options.model_name.empty() || options.model_name == model.name) {
      num_runs += DevicesOf(model, options).size();
      chosen.push_back(model);
    }
  }
  if (chosen.empty()) {
    const std::string near = Nearest(options.model_name, names);
    return InvalidArgument("--model_name: " + deployment.file +
                           " has no model '" + options.model_name + "'; " +
                           (near.empty() ? "its models are " + list
                                         : "did you mean '" + near + "'?"));
  }
  if (const std::string flag = FlagOfAModel(options);
      chosen.size() > 1 && !flag.empty()) {
    return InvalidArgument(flag + " is of one model, and " + deployment.file +
                           " has " + std::to_string(chosen.size()) +
                           "; choose one with --model_name=NAME: " + list);
  }
  if (const std::string flag = FlagOfARun(options);
      num_runs > 1 && !flag.empty()) {
    return InvalidArgument(flag + " is of one model on one device, and " +
                           deployment.file + " asks for " +
                           std::to_string(num_runs) +
                           " runs; choose one with --model_name=NAME and "
                           "--device=CPU, GPU or HEXAGON");
  }
  return chosen;
}

Result<std::vector<DeployedRun>> RunsOf(
    const Deployment& deployment, const std::vector<DeployedModel>& models,
    const Options& options) {
  std::vector<DeployedRun> runs;
  for (const DeployedModel& model : models) {
    MACE_ASSIGN_OR_RETURN(const fs::path folder,
                          FolderOf(deployment, model.name, options));
    const std::vector<std::string> devices = DevicesOf(model, options);
    for (const std::string& device : devices) {
      DeployedRun run{model.name, device, options};
      Job& job = run.options.jobs[0];
      job.model_file = (folder / (model.name + ".pb")).string();
      job.model_data_file = (folder / (model.name + ".data")).string();
      if (!options.given.count("input_range")) {
        job.input_ranges = model.input_ranges;
      }
      if (!job.output_dir.empty()) {
        fs::path place = job.output_dir;
        if (models.size() > 1) place /= model.name;
        if (devices.size() > 1) place /= RuntimeOf(device);
        job.output_dir = place.string();
      }
      run.options.device = device;
      FillSettings(model, device, &run.options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

}  // namespace mace::tools
