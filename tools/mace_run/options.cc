// Parsing flags, with CLI11.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/options.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cli/flags.h"

namespace mace::tools {
namespace {

constexpr int kMostRuns = 1'000'000'000;
constexpr int kMostInt = std::numeric_limits<int>::max();
constexpr double kDay = 24 * 3600;  // seconds
// So that the width of a range of random inputs is a float, too.
constexpr double kMostFloat = 1e38;

// What people who know tools/converter.py expect here.
std::vector<ForeignFlag> FlagsOfTheConverter() {
  return {{"--config",
           "tools/converter.py takes deployment files; mace_run takes what it "
           "made of one: --model_file=X.pb --model_data_file=X.data"},
          {"--model_name",
           "mace_run runs one model, whose files are --model_file=X.pb and "
           "--model_data_file=X.data"},
          {"--validate",
           "tools/converter.py run --validate compares a model with its source "
           "framework"}};
}

// "name=value" -> (name, value). The name may hold '=' signs of its own only if
// the value does not.
std::pair<std::string, std::string> SplitAssignment(const std::string& text,
                                                    const std::string& flag) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    throw CLI::ValidationError(flag,
                               "'" + text + "' must look like name=value");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<int64_t> ParseShape(const std::string& text,
                                const std::string& flag) {
  std::vector<int64_t> shape;
  if (text == "[]") return shape;  // of a scalar
  std::stringstream stream(text);
  std::string part;
  while (std::getline(stream, part, ',')) {
    size_t used = 0;
    int64_t extent = -1;
    try {
      extent = std::stoll(part, &used);
    } catch (const std::exception&) {
    }
    if (used == 0 || used != part.size() || extent < 0) {
      throw CLI::ValidationError(
          flag, "'" + text +
                    "' is no shape; write it like 1,224,224,3, or [] "
                    "for a scalar");
    }
    shape.push_back(extent);
  }
  if (shape.empty()) {
    throw CLI::ValidationError(
        flag,
        "a shape is missing; write it like 1,224,224,3, or [] for a "
        "scalar");
  }
  return shape;
}

// {"jobs": [...]} or a list of objects with the fields of Job.
std::vector<Job> ReadBatch(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw CLI::ValidationError("--batch", "cannot open '" + path + "'");
  std::vector<Job> jobs;
  try {
    for (const auto& entry : nlohmann::json::parse(in)) {
      Job job;
      job.model_file = entry.at("model_file");
      job.model_data_file = entry.at("model_data_file");
      job.inputs = entry.value("inputs", job.inputs);
      job.input_shapes = entry.value("input_shapes", job.input_shapes);
      job.outputs = entry.value("outputs", job.outputs);
      job.output_dir = entry.value("output_dir", "");
      jobs.push_back(std::move(job));
    }
  } catch (const nlohmann::json::exception& e) {
    throw CLI::ValidationError("--batch", "'" + path + "': " + e.what());
  }
  return jobs;
}

}  // namespace

int ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app{
      "Runs a converted model: loads it, runs it on given or random "
      "inputs, and reports outputs, latency and memory.",
      "mace_run"};
  Options& o = *options;
  Job job;
  std::vector<std::string> inputs, shapes;
  std::string batch;

  app.add_option("--model_file", job.model_file, "the graph, X.pb");
  app.add_option("--model_data_file", job.model_data_file,
                 "the weights, X.data");
  app.add_option("--input", inputs,
                 "name=file.npy; inputs not given are seeded random numbers");
  app.add_option("--input_shape", shapes,
                 "name=1,224,224,3: run with another shape than the model's; "
                 "[] is that of a scalar");
  app.add_option("--output", job.outputs,
                 "name of a tensor to compute (default: the model's outputs)");
  app.add_option("--output_dir", job.output_dir,
                 "write outputs here as <name>.npy");
  app.add_option("--batch", batch,
                 "JSON list of {model_file, model_data_file, inputs, "
                 "output_dir}: run them all in this process");
  app.add_option("--device", o.device, "where to run")
      ->check(CLI::IsMember({"CPU", "GPU", "HEXAGON"}))
      ->capture_default_str();
  app.add_option("--round", o.round, "timed runs")
      ->check(WholeNumber(1, kMostRuns))
      ->capture_default_str();
  app.add_option("--warmup", o.warmup, "runs before the timed ones")
      ->check(WholeNumber(0, kMostRuns))
      ->capture_default_str();
  app.add_option("--num_threads,--omp_num_threads", o.num_threads,
                 "threads; -1: as many as the affinity policy has cores")
      ->check([](const std::string& text) {
        const bool ok = text == "-1" || (std::atoi(text.c_str()) >= 1 &&
                                         std::atoi(text.c_str()) <= 256);
        return ok ? std::string()
                  : "must be -1 (as many as there are cores) or 1 to 256, "
                    "got " +
                        text;
      })
      ->capture_default_str();
  app.add_option("--cpu_affinity_policy", o.cpu_affinity_policy,
                 "0 none, 1 big, 2 little, 3 high performance, 4 power save")
      ->check(CLI::Range(0, 4))
      ->capture_default_str();
  app.add_option("--gpu_data_type", o.gpu_data_type,
                 "what images hold: fp16_fp32: fp16, fp32_fp32: float32")
      ->check(CLI::IsMember({"fp16_fp32", "fp32_fp32"}))
      ->capture_default_str();
  app.add_option("--float32_nodes", o.float32_nodes,
                 "nodes that the GPU keeps in float32, not fp16: a,b,c")
      ->delimiter(',');
  app.add_flag("--check_numerics", o.check_numerics,
               "fail at the first tensor with NaN or infinity and name it");
  app.add_option("--gpu_storage_path", o.gpu_storage_path,
                 "keep compiled GPU programs in this folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("--opencl_binary_file", o.opencl_binary_files,
                 "GPU programs compiled ahead");
  app.add_option("--gpu_perf_hint", o.gpu_perf_hint,
                 "0 default, 1 low, 2 normal, 3 high")
      ->check(CLI::Range(0, 3));
  app.add_option("--gpu_priority_hint", o.gpu_priority_hint,
                 "0 default, 1 low, 2 normal, 3 high")
      ->check(CLI::Range(0, 3));
  app.add_option("--gpu_kernel_micros", o.gpu_kernel_micros,
                 "split GPU kernels into parts of at most so long; 0: do not")
      ->check(WholeNumber(0, kMostInt));
  app.add_option("--gpu_queue_window", o.gpu_queue_window,
                 "at most so many GPU kernels in flight; 0: any number, or 16 "
                 "with --gpu_kernel_micros")
      ->check(CLI::Range(0, 65536));
  app.add_option("--tune", o.tune_ms,
                 "measure how kernels run best, for at most so many ms")
      ->check(WholeNumber(0, kMostInt));
  app.add_option("--tuning_file", o.tuning_file,
                 "where that is kept, and read from (default: with the GPU "
                 "programs, or nowhere)");
  app.add_option("--memory_strategy", o.memory_strategy,
                 "how to plan memory: AUTO, GREEDY_BY_SIZE, PRESERVE_ALL, ...")
      ->capture_default_str();
  app.add_option("--memory_limit", o.memory_limit,
                 "bytes that the engine may allocate for tensors; 0: what the "
                 "machine has");
  app.add_option("--memory_savings", o.memory_savings,
                 "which of order,views,in_place,concat,overlap to use; none")
      ->delimiter(',')
      ->check(CLI::IsMember(
          {"order", "views", "in_place", "concat", "overlap", "none"}));
  app.add_option(
      "--embed_memory_plan", o.embed_memory_plan,
      "write a copy of the graph with its memory plan here and exit");
  auto* packed_model =
      app.add_option("--packed_model", o.packed_model,
                     "the files that --pack_weights writes: these letters, .pb "
                     "and .data");
  app.add_option("--pack_weights", o.pack_weights,
                 "write the model with its weights packed for an instruction "
                 "set (avx512, ..., or host) and exit")
      ->needs(packed_model);
  app.add_flag("!--no_checksum", o.verify_checksum,
               "do not read all weights to compare their checksum");
  app.add_flag("--allow_nan", o.allow_nan, "run on inputs that hold NaN");
  app.add_option("--winograd", o.winograd,
                 "largest tile of Winograd convolutions: 0, 2, 4 or 6")
      ->check(CLI::IsMember({0, 2, 4, 6}));
  app.add_flag("--guard", o.guard,
               "fill memory that holds nothing live with NaN while running");
  app.add_option("--seed", o.seed, "of random inputs")
      ->check(WholeNumber(0, std::numeric_limits<uint32_t>::max()))
      ->capture_default_str();
  app.add_option("--input_range", o.input_range, "of random inputs: lo,hi")
      ->delimiter(',')
      ->expected(2)
      ->check(Number(-kMostFloat, kMostFloat));
  app.add_option("--dump", o.dump, "print a stage and exit")
      ->check(CLI::IsMember(
          {"graph", "plan", "plan_json", "memory", "memory_json", "tuning"}));
  app.add_flag("--benchmark", o.benchmark, "time every op; print tables");
  app.add_option("--max_num_runs", o.max_num_runs, "of a benchmark")
      ->check(WholeNumber(1, kMostRuns))
      ->capture_default_str();
  app.add_option("--max_time", o.max_time, "seconds of a benchmark")
      ->check(Number(0, kDay, true))
      ->capture_default_str();
  app.add_option("--trace", o.trace_file,
                 "write a Chrome trace (chrome://tracing) of the last run")
      ->check(NewFile());
  app.add_option("--json", o.json_file, "write the results here")
      ->check(NewFile());
  app.add_flag("--wide", o.wide,
               "tables as wide as they are (default: $COLUMNS, the terminal's "
               "columns, or 120 where there is none)");
  app.add_flag("--interactive", o.interactive,
               "print the init time, then run once per line on stdin and print "
               "its milliseconds; without a model it only waits");
  app.add_flag("--list_ops", o.list_ops, "print the ops of this build as JSON");
  app.add_flag("--infer_types", o.infer_types,
               "print the types of all tensors of the models as JSON, or why "
               "a model is refused; nothing runs");
  app.add_flag("--machine", o.machine,
               "measure what this CPU can do at most and print it as JSON");

  const auto check = [&] {
    for (const std::string& text : inputs) {
      job.inputs.insert(SplitAssignment(text, "--input"));
    }
    for (const std::string& text : shapes) {
      const auto [name, shape] = SplitAssignment(text, "--input_shape");
      job.input_shapes[name] = ParseShape(shape, "--input_shape");
    }
    if (o.input_range[0] > o.input_range[1]) {
      throw CLI::ValidationError("--input_range",
                                 "the first number is above the second; write "
                                 "the lower end first: -1,1");
    }
    if (!batch.empty()) {
      o.is_batch = true;
      o.jobs = ReadBatch(batch);
    } else if (!job.model_file.empty()) {
      o.jobs.push_back(job);
    } else if (!o.list_ops && !o.machine && !o.interactive) {
      throw CLI::RequiredError("--model_file");
    }
  };
  return ParseFlags(app, argc, argv, check, FlagsOfTheConverter());
}

}  // namespace mace::tools
