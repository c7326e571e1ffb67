// mace_run: runs converted models on this machine or device.
// SPDX-License-Identifier: Apache-2.0
//
// Results go to stdout, messages to stderr. Exit codes: 0 success, 1 the model,
// its input or the device failed, 2 wrong flags.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mace/base/file.h"
#include "mace/cpu/common/machine_limits.h"
#include "tools/cli/output.h"
#include "tools/cli/text_table.h"
#include "tools/mace_run/deployed_runs.h"
#include "tools/mace_run/deployment.h"
#include "tools/mace_run/embed_plan.h"
#include "tools/mace_run/generate.h"
#include "tools/mace_run/infer_types.h"
#include "tools/mace_run/options.h"
#include "tools/mace_run/pack_weights.h"
#include "tools/mace_run/plan_table.h"
#include "tools/mace_run/report.h"
#include "tools/mace_run/run_model.h"
#include "tools/mace_run/settings_json.h"
#include "tools/mace_run/statistics.h"
#include "tools/mace_run/tokenize.h"

namespace mace::tools {
namespace {

constexpr int kPlanRuns = 10;  // to measure the steps of a plan

// As the engine resolves them.
int NumThreads(const Options& options) {
  const auto given = options.settings.find("num_threads");
  const int asked =
      given == options.settings.end() ? -1 : std::stoi(given->second);
  return asked > 0 ? asked
                   : std::max<int>(std::thread::hardware_concurrency(), 1);
}

// Of tables; 0: any.
int Width(const Options& options) { return options.wide ? 0 : OutputWidth(); }

int Fail(const Status& status) {
  std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
  return 1;
}

void PrintLatency(const RunResult& r) {
  const double average =
      r.run_ms.empty()
          ? 0
          : std::accumulate(r.run_ms.begin(), r.run_ms.end(), 0.0) /
                static_cast<double>(r.run_ms.size());
  const std::string rule(40, '=');
  const std::string warmup =
      r.warmup_ms ? Fixed(*r.warmup_ms) : "none";  // --warmup=0
  std::printf("Total init latency: %.3f ms\n", r.init_ms);
  std::printf("1st warm up run latency: %s%s\n", warmup.c_str(),
              r.warmup_ms ? " ms" : "");
  std::printf("Average latency: %.3f ms\n", average);
  std::printf("%s\n%16s%12s%12s\n%s\n", rule.c_str(), "init", "warmup",
              "run_avg", rule.c_str());
  std::printf("time%12.3f%12s%12.3f\n", r.init_ms, warmup.c_str(), average);
}

// Runs a model, prints results, and returns what --json is to have of them:
// null without --json. So do RunBenchmark and Dump.
Result<nlohmann::json> RunPlainly(const Options& options) {
  MACE_ASSIGN_OR_RETURN(const RunResult result,
                        RunModel(options.jobs[0], options));
  PrintLatency(result);
  return options.json_file.empty() ? nlohmann::json() : ToJson(result);
}

int WriteJsonIfAsked(const Options& options,
                     const Result<nlohmann::json>& value) {
  if (!value.ok()) return Fail(value.status());
  if (options.json_file.empty() || value->is_null()) return 0;
  const Status status = WriteJson(options.json_file, *value);
  return status.ok() ? 0 : Fail(status);
}

// The results of all go to --json; a job that fails does not stop the rest.
int RunBatch(const Options& options) {
  nlohmann::json results = nlohmann::json::array();
  bool all_ok = true;
  for (const Job& job : options.jobs) {
    const auto result = RunModel(job, options);
    nlohmann::json entry;
    if (result.ok() && !options.json_file.empty()) entry = ToJson(*result);
    entry["model_file"] = job.model_file;
    entry["error"] = result.ok() ? "" : result.status().information();
    if (!result.ok()) {
      Fail(result.status());
      all_ok = false;
    }
    results.push_back(std::move(entry));
  }
  const int code = WriteJsonIfAsked(options, results);
  return all_ok ? code : 1;
}

// Half of the time without statistics, half with.
Status Measure(Session& session, const Options& options, Benchmark& benchmark,
               RunMetadata& metadata) {
  for (int i = 0; i < options.warmup; ++i) {
    MACE_ASSIGN_OR_RETURN(const double ms, session.Run());
    benchmark.warmup.Add(ms);
  }
  const double limit_ms = options.max_time * 1000 / 2;
  while (benchmark.plain.count() < options.max_num_runs &&
         benchmark.plain.sum() < limit_ms) {
    MACE_ASSIGN_OR_RETURN(const double ms, session.Run());
    benchmark.plain.Add(ms);
  }
  while (benchmark.measured.count() < options.max_num_runs &&
         benchmark.measured.sum() < limit_ms) {
    MACE_ASSIGN_OR_RETURN(const double ms, session.Run(&metadata));
    benchmark.measured.Add(ms);
    benchmark.Add(metadata);
  }
  return Status();
}

// What the steps of a plan were predicted to take, and take.
Result<nlohmann::json> PrintPlanTable(Session& session,
                                      const Options& options) {
  auto threads = ThreadPool::Create(NumThreads(options));
  MACE_RETURN_IF_ERROR(threads.status());
  MACE_ASSIGN_OR_RETURN(
      const cpu::MachineLimits limits,
      cpu::MeasureLimits(threads->get(), DetectCpuFeatures()));
  Benchmark benchmark;
  for (int i = 0; i < kPlanRuns; ++i) {
    RunMetadata metadata;
    MACE_RETURN_IF_ERROR(session.Run(&metadata).status());
    benchmark.Add(metadata);
  }
  std::fputs(FormatPlanTable(benchmark, limits, Width(options)).c_str(),
             stdout);
  return PlanJson(benchmark, limits);
}

Result<nlohmann::json> Dump(const Options& options) {
  MACE_ASSIGN_OR_RETURN(Session session,
                        Session::Open(options.jobs[0], options));
  // A DSP counts what its nodes take when they run.
  if (options.dump == "plan" && options.device == "HEXAGON") {
    MACE_RETURN_IF_ERROR(session.Run().status());
  }
  std::string text;
  MACE_RETURN_IF_ERROR(session.engine().Dump(options.dump, &text));
  // For people; graphs are whole, and what ends in _json is for programs.
  const bool is_list = options.dump == "plan" || options.dump == "memory";
  std::fputs((is_list ? Fitted(text, Width(options)) : text).c_str(), stdout);
  if (options.dump == "plan" && options.device == "CPU") {
    return PrintPlanTable(session, options);
  }
  if (options.json_file.empty()) return nlohmann::json();
  return DumpJson(session.engine(), options.dump);
}

// For benchmarks that take turns with other engines. Without a model: what
// such a process needs for itself.
int RunInteractive(const Options& options) {
  if (options.jobs.empty()) {
    std::printf("0\n");
    std::fflush(stdout);
    return std::getchar() == EOF ? 0 : 2;
  }
  auto session = Session::Open(options.jobs[0], options);
  if (!session.ok()) return Fail(session.status());
  std::printf("%.6f\n", session->init_ms());
  std::fflush(stdout);
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') continue;
    const auto ms = session->Run();
    if (!ms.ok()) return Fail(ms.status());
    std::printf("%.6f\n", *ms);
    std::fflush(stdout);
  }
  return 0;
}

int PrintMachine(const Options& options) {
  auto threads = ThreadPool::Create(NumThreads(options));
  if (!threads.ok()) return Fail(threads.status());
  const auto limits = cpu::MeasureLimits(threads->get(), DetectCpuFeatures());
  if (!limits.ok()) return Fail(limits.status());
  const nlohmann::json json = {{"isa", ToString(DetectCpuFeatures())},
                               {"threads", (*threads)->num_threads()},
                               {"gflops", limits->gflops},
                               {"int8_gops", limits->int8_gops},
                               {"memory_gbps", limits->memory_gbps},
                               {"read_gbps", limits->read_gbps}};
  std::printf("%s\n", json.dump().c_str());
  return 0;
}

int EmbedPlan(const Options& options) {
  auto session = Session::Open(options.jobs[0], options);
  if (!session.ok()) return Fail(session.status());
  std::string json;
  Status status = session->engine().Dump("memory_json", &json);
  if (status.ok()) {
    status = EmbedMemoryPlan(options.jobs[0].model_file, json,
                             options.embed_memory_plan);
  }
  return status.ok() ? 0 : Fail(status);
}

Result<nlohmann::json> RunBenchmark(const Options& options) {
  MACE_ASSIGN_OR_RETURN(Session session,
                        Session::Open(options.jobs[0], options));
  Benchmark benchmark;
  RunMetadata metadata;
  MACE_RETURN_IF_ERROR(Measure(session, options, benchmark, metadata));
  std::fputs(FormatTables(benchmark, Width(options)).c_str(), stdout);
  nlohmann::json json = ToJson(benchmark);
  json["init_ms"] = session.init_ms();
  return json;
}

// Of an engine of its own, since tracing would slow down the others' runs.
Status WriteTrace(Options options) {
  options.settings["tracing"] = "1";
  MACE_ASSIGN_OR_RETURN(Session session,
                        Session::Open(options.jobs[0], options));
  for (int i = 0; i <= options.warmup; ++i) {
    MACE_RETURN_IF_ERROR(session.Run().status());
  }
  std::string trace;
  MACE_RETURN_IF_ERROR(session.engine().Dump("trace", &trace));
  return WriteFileAtomically(options.trace_file, trace.data(), trace.size());
}

Result<nlohmann::json> RunInSomeWay(const Options& options) {
  if (!options.dump.empty()) return Dump(options);
  if (!options.generate.empty()) return GenerateTexts(options);
  auto results =
      options.benchmark ? RunBenchmark(options) : RunPlainly(options);
  if (results.ok() && !options.trace_file.empty()) {
    MACE_RETURN_IF_ERROR(WriteTrace(options));
  }
  return results;
}

// What is done with one model and needs no result of a run. Returns the exit
// code, or nothing if the flags ask for none of that.
std::optional<int> DoWithoutResult(const Options& options) {
  if (options.infer_types) {
    const nlohmann::json types = InferTypes(options.jobs);
    std::printf(
        "%s\n",
        types.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
            .c_str());
    return 0;
  }
  if (!options.dump.empty()) return std::nullopt;
  if (options.interactive) return RunInteractive(options);
  if (!options.embed_memory_plan.empty()) return EmbedPlan(options);
  if (options.pack_weights.empty()) return std::nullopt;
  const Status status = PackWeights(options.jobs[0], options.pack_weights,
                                    options.settings, options.packed_model);
  return status.ok() ? 0 : Fail(status);
}

void PrintHeading(const DeployedRun& run) {
  const std::string title = run.model + " on the " + run.device;
  std::printf("%s\n%s\n", title.c_str(),
              std::string(title.size(), '-').c_str());
  std::fflush(stdout);
}

// What --json is to have of one of several runs.
nlohmann::json EntryOf(const DeployedRun& run,
                       const Result<nlohmann::json>& result) {
  nlohmann::json entry = nlohmann::json::object();
  if (result.ok() && result->is_object()) entry = *result;
  if (result.ok() && result->is_array()) entry["results"] = *result;
  entry["model_file"] = run.options.jobs[0].model_file;
  entry["error"] = result.ok() ? "" : result.status().information();
  return entry;
}

// One after the other; one that fails does not stop the rest. --json gets
// {"models": {name: results}}, with {"devices": {"cpu": results, "gpu":
// results}} of a model that runs on both.
int RunAll(const Options& options, const std::vector<DeployedRun>& runs) {
  nlohmann::json models = nlohmann::json::object();
  bool all_ok = true;
  for (const DeployedRun& run : runs) {
    if (runs.size() > 1) PrintHeading(run);
    const auto result = RunInSomeWay(run.options);
    if (!result.ok()) Fail(result.status());
    all_ok = all_ok && result.ok();
    nlohmann::json entry = EntryOf(run, result);
    std::string device = run.device;
    for (char& c : device) c = static_cast<char>(std::tolower(c));
    const auto num_devices = std::count_if(
        runs.begin(), runs.end(),
        [&](const DeployedRun& other) { return other.model == run.model; });
    if (num_devices > 1) {
      models[run.model]["devices"][device] = std::move(entry);
    } else {
      entry["device"] = device;
      models[run.model] = std::move(entry);
    }
    if (runs.size() > 1) std::printf("\n");
  }
  const int code =
      WriteJsonIfAsked(options, nlohmann::json{{"models", models}});
  return all_ok ? code : 1;
}

int RunDeployment(const Options& options) {
  const auto deployment = ReadDeployment(options.config);
  if (!deployment.ok()) return Fail(deployment.status());
  const auto models = ChooseModels(*deployment, options);
  if (!models.ok()) {
    Fail(models.status());
    return 2;
  }
  const auto runs = RunsOf(*deployment, *models, options);
  if (!runs.ok()) return Fail(runs.status());
  if (runs->size() == 1) {
    const auto done = DoWithoutResult((*runs)[0].options);
    if (done) return *done;
  }
  return RunAll(options, *runs);
}

int Main(int argc, char** argv) {
  Options options;
  const int code = ParseOptions(argc, argv, &options);
  if (code >= 0) return code;
  if (options.list_ops) {
    std::printf("%s\n", OpListJson().dump(1).c_str());
    return 0;
  }
  if (options.list_settings) {
    std::printf("%s\n", SettingListJson().dump(1).c_str());
    return 0;
  }
  if (options.machine) return PrintMachine(options);
  if (!options.tokenize.empty()) {
    const Status status =
        PrintTokens(options.tokenizer, options.tokenize, options.plain_text);
    return status.ok() ? 0 : Fail(status);
  }
  if (!options.config.empty()) return RunDeployment(options);
  if (options.is_batch && !options.infer_types) return RunBatch(options);
  const auto done = DoWithoutResult(options);
  return done ? *done : WriteJsonIfAsked(options, RunInSomeWay(options));
}

}  // namespace
}  // namespace mace::tools

int main(int argc, char** argv) {
  return mace::tools::FinishOutput(mace::tools::Main(argc, argv));
}
