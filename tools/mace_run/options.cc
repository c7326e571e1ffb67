// Parsing flags, with CLI11.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/options.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mace/base/file.h"
#include "mace/plan/types/plan_switches.h"
#include "mace/runtime/settings/setting_values.h"
#include "tools/cli/flags.h"

namespace mace::tools {
namespace {

constexpr int kMaxRuns = 1'000'000'000;
constexpr double kDay = 24 * 3600;  // seconds
// So that the width of a range of random inputs is a float, too.
constexpr double kMaxFloatFlag = 1e38;

// What people who know tools/converter.py expect here.
std::vector<ForeignFlag> FlagsOfTheConverter() {
  return {{"--validate",
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
  const auto file = MappedFile::Open(path);
  if (!file.ok()) {
    throw CLI::ValidationError("--batch", file.status().information());
  }
  std::vector<Job> jobs;
  try {
    for (const auto& entry :
         nlohmann::json::parse(file->data(), file->data() + file->size())) {
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

// The flags of one model to run, as texts that are read once all are there.
struct JobFlags {
  Job job;
  std::vector<std::string> inputs, shapes;
  std::string batch;
};

void AddJobFlags(CLI::App& app, JobFlags& f, Options& o) {
  app.add_option("--config", o.config,
                 "a deployment file, X.yml: run its converted models on the "
                 "devices and with the settings that it names; flags go before "
                 "it");
  app.add_option("--model_name", o.model_name,
                 "only this model of the deployment file");
  app.add_option("--model_dir", o.model_dir,
                 "the folder with its converted models (default: "
                 "build/<library_name>/model in the working folder, or beside "
                 "the file)")
      ->check(CLI::ExistingDirectory);
  app.add_option("--model_file", f.job.model_file, "the graph, X.pb");
  app.add_option("--model_data_file", f.job.model_data_file,
                 "the weights, X.data");
  app.add_option("--input", f.inputs,
                 "name=file.npy; inputs not given are seeded random numbers")
      ->allow_extra_args(false);  // so that brackets are as any character
  app.add_option("--input_shape", f.shapes,
                 "name=1,224,224,3: run with another shape than the model's; "
                 "[] is that of a scalar")
      ->allow_extra_args(false);
  app.add_option("--output", f.job.outputs,
                 "name of a tensor to compute (default: the model's outputs)")
      ->allow_extra_args(false);
  app.add_option("--output_dir", f.job.output_dir,
                 "write outputs here as <name>.npy");
  app.add_option("--batch", f.batch,
                 "JSON list of {model_file, model_data_file, inputs, "
                 "output_dir}: run them all in this process");
}

// A flag for each setting of engines, as its description says.
void AddSettingFlags(CLI::App& app, Options& o) {
  for (const SettingInfo& info : AllSettings()) {
    const Setting& setting = info.setting;
    const auto keep = [&o, name = setting.name](const std::string& text) {
      o.settings[name] = text;
      o.given.insert(name);
    };
    const auto check = [info](const std::string& text) -> std::string {
      const Status status = ParseSetting(info, text).status();
      // Without the name: it may be another than that of the flag.
      const size_t name = info.setting.name.size() + 2;
      return status.ok() ? "" : status.information().substr(name);
    };
    if (info.type == SettingInfo::kSwitch) {
      const auto set = [keep](const CLI::results_t& given) {
        keep(given.empty() || given[0].empty() ? "1" : given[0]);
        return true;
      };
      app.add_option("--" + setting.flag, set, setting.doc)
          ->expected(0, 1)
          ->type_name("")
          ->check([check](const std::string& text) {
            return text.empty() ? "" : check(text);
          });
      continue;
    }
    std::string flags = "--" + setting.flag;
    if (setting.name == "num_threads") flags += ",--omp_num_threads";
    auto* option =
        app.add_option_function<std::string>(flags, keep, setting.doc);
    option->check(check);
    const auto own = o.settings.find(setting.name);
    if (own != o.settings.end()) {
      option->default_str(own->second);
    } else if (info.initial) {
      option->default_str(ToText(*info.initial));
    }
  }
}

void AddDeviceFlags(CLI::App& app, Options& o) {
  app.add_option("--device", o.device, "where to run")
      ->check(CLI::IsMember({"CPU", "GPU", "HEXAGON"}))
      ->capture_default_str();
  app.add_option("--gpu_storage_path", o.gpu_storage_path,
                 "keep compiled GPU programs in this folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("--opencl_binary_file", o.opencl_binary_files,
                 "GPU programs compiled ahead")
      ->allow_extra_args(false);
}

// Turns off a part of planning for all plans of this process.
void LeaveOut(const std::string& part) {
  for (const PlanSwitch& known : kPlanSwitches) {
    if (part == known.name) PlanSwitchesOfTests().*known.is_on = false;
  }
}

std::set<std::string> PlanParts() {
  std::set<std::string> parts;
  for (const PlanSwitch& known : kPlanSwitches) parts.insert(known.name);
  return parts;
}

void AddRunFlags(CLI::App& app, Options& o) {
  app.add_option_function<std::vector<std::string>>(
         "--plan_without",
         [](const std::vector<std::string>& parts) {
           for (const std::string& part : parts) LeaveOut(part);
         },
         "for tests: leaves parts of planning out")
      ->delimiter(',')
      ->check(CLI::IsMember(PlanParts()));
  app.add_option("--round", o.round, "timed runs")
      ->check(WholeNumber(1, kMaxRuns))
      ->capture_default_str();
  app.add_option("--warmup", o.warmup, "runs before the timed ones")
      ->check(WholeNumber(0, kMaxRuns))
      ->capture_default_str();
  app.add_option("--deadline_ms", o.deadline_ms,
                 "milliseconds after which a run ends with MACE_CANCELLED")
      ->check(Number(0, kDay * 1000, true));
  app.add_flag("!--no_checksum", o.verify_checksum,
               "do not read all weights to compare their checksum");
  app.add_flag("--load_into_memory", o.into_memory,
               "read the weights instead of mapping them");
  app.add_flag("--allow_nan", o.allow_nan, "run on inputs that hold NaN");
  app.add_option("--seed", o.seed, "of random inputs")
      ->check(WholeNumber(0, std::numeric_limits<uint32_t>::max()))
      ->capture_default_str();
  app.add_option("--offline_memory_plan", o.offline_memory_plan,
                 "offsets of the records of --dump=memory_json, planned "
                 "elsewhere: a file of TensorFlow Lite Micro's "
                 "OfflineMemoryAllocation")
      ->check(CLI::ExistingFile);
  app.add_option("--input_range", o.input_range, "of random inputs: lo,hi")
      ->delimiter(',')
      ->expected(2)
      ->check(Number(-kMaxFloatFlag, kMaxFloatFlag));
  app.add_flag("--benchmark", o.benchmark, "time every op; print tables");
  app.add_option("--max_num_runs", o.max_num_runs, "of a benchmark")
      ->check(WholeNumber(1, kMaxRuns))
      ->capture_default_str();
  app.add_option("--max_time", o.max_time, "seconds of a benchmark")
      ->check(Number(0, kDay, true))
      ->capture_default_str();
  app.add_flag("--interactive", o.interactive,
               "print the init time, then run once per line on stdin and print "
               "its milliseconds; without a model it only waits");
}

void AddResultFlags(CLI::App& app, Options& o) {
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
  app.add_option("--dump", o.dump, "print a stage and exit")
      ->check(CLI::IsMember(
          {"graph", "plan", "plan_json", "memory", "memory_json", "tuning"}));
  app.add_option("--trace", o.trace_file,
                 "write a Chrome trace (for chrome://tracing or Perfetto) of "
                 "creating another engine, its warm-up and a run")
      ->check(NewFile());
  app.add_option("--json", o.json_file, "write the results here")
      ->check(NewFile());
  app.add_flag("--wide", o.wide,
               "tables as wide as they are (default: $COLUMNS, the terminal's "
               "columns, or 120 where there is none)");
  app.add_flag("--list_ops", o.list_ops, "print the ops of this build as JSON");
  app.add_flag("--infer_types", o.infer_types,
               "print the types of all tensors of the models as JSON, or why "
               "a model is refused; nothing runs");
  app.add_flag("--list_settings", o.list_settings,
               "print the settings of engines as JSON");
  app.add_flag("--machine", o.machine,
               "measure what this CPU can do at most and print it as JSON");
}

void AddTextFlags(CLI::App& app, Options& o) {
  auto* tokenizer =
      app.add_option("--tokenizer", o.tokenizer,
                     "the tokenizer of a language model, as converter.py "
                     "tokenizer writes it");
  app.add_option("--tokenize", o.tokenize,
                 "print the tokens of the texts in this file, which NUL bytes "
                 "separate, and exit; -: stdin")
      ->needs(tokenizer);
  app.add_flag("--plain_text", o.plain_text,
               "neither add special tokens nor read them in texts")
      ->needs(tokenizer);
  app.add_option("--generate", o.generate,
                 "continue the prompts in this file, which NUL bytes separate, "
                 "one after the other, with a language model; -: stdin");
}

// Whole numbers from a limit on.
CLI::Validator AtLeast(int limit) {
  return WholeNumber(limit, std::numeric_limits<int>::max());
}

// Of --generate; the engine checks what they are out of range of.
void AddGenerateFlags(CLI::App& app, GenerateFlags& f) {
  std::vector<CLI::Option*> options = {
      app.add_flag("--chat", f.is_chat,
                   "each prompt is a message of the user, which the chat "
                   "template of the tokenizer makes a prompt of"),
      app.add_option("--max_new_tokens", f.max_new_tokens, "of each text")
          ->check(AtLeast(0))
          ->capture_default_str(),
      app.add_option("--temperature", f.temperature,
                     "0: the most probable token (default of these: as the "
                     "model's generation_config.json recommends)"),
      app.add_option("--top_k", f.top_k, "of so many tokens; 0: of all")
          ->check(AtLeast(0)),
      app.add_option("--top_p", f.top_p,
                     "of the fewest tokens with this probability in all"),
      app.add_option("--min_p", f.min_p,
                     "of tokens with this fraction of the first's probability"),
      app.add_option("--repetition_penalty", f.repetition_penalty,
                     "above 1: tokens seen so far become less probable"),
      app.add_option("--stop", f.stop, "a text that ends a generation")
          ->allow_extra_args(false),
      app.add_option("--stop_token", f.stop_tokens,
                     "a token that ends a generation, by its number")
          ->check(AtLeast(0)),
      app.add_flag("--ignore_stop_tokens", f.ignore_stop_tokens,
                   "go on after tokens that end a text"),
      app.add_option_function<std::vector<std::string>>(
          "--logit_bias",
          [&f](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto [token, bias] = SplitAssignment(text, "--logit_bias");
              int32_t id = 0;
              float value = 0;
              if (!CLI::detail::lexical_cast(token, id) ||
                  !CLI::detail::lexical_cast(bias, value)) {
                throw CLI::ValidationError(
                    "--logit_bias", "'" + text + "' must look like 17=-2.5");
              }
              f.logit_bias[id] = value;
            }
          },
          "token=number, which is added to its logit"),
      app.add_option("--restore_sequence", f.restore,
                     "begin with the sequence that --save_sequence wrote"),
      app.add_option("--save_sequence", f.save,
                     "write the sequence here at the end")};
  for (CLI::Option* option : options) option->needs("--generate");
}

// The flags that name models in other ways.
void CheckConfigFlags(const JobFlags& f, const Options& o) {
  const auto refuse = [&](const std::string& flag, const std::string& given) {
    if (given.empty()) return;
    throw CLI::ValidationError(
        flag, "--config=" + o.config +
                  " names the models; leave out one of the two flags");
  };
  refuse("--model_file", f.job.model_file);
  refuse("--model_data_file", f.job.model_data_file);
  refuse("--batch", f.batch);
}

// What a batch says itself, or what is of one model.
void CheckBatchFlags(const CLI::App& app) {
  for (const char* flag :
       {"--model_file", "--model_data_file", "--input", "--input_shape",
        "--output", "--output_dir", "--dump", "--benchmark", "--generate",
        "--interactive", "--pack_weights", "--embed_memory_plan", "--trace"}) {
    if (app.count(flag) == 0) continue;
    throw CLI::ValidationError(
        flag,
        "it does not go with --batch; leave it out, or name the model with "
        "--model_file and --model_data_file instead");
  }
}

// What flags mean together. Throws CLI::ParseError.
void Complete(const CLI::App& app, JobFlags& f, Options& o) {
  for (const std::string& text : f.inputs) {
    const auto assigned = SplitAssignment(text, "--input");
    if (!f.job.inputs.insert(assigned).second) {
      throw CLI::ValidationError(
          "--input", "'" + assigned.first + "': this input is given twice");
    }
  }
  for (const std::string& text : f.shapes) {
    const auto [name, shape] = SplitAssignment(text, "--input_shape");
    f.job.input_shapes[name] = ParseShape(shape, "--input_shape");
  }
  if (o.input_range[0] > o.input_range[1]) {
    throw CLI::ValidationError("--input_range",
                               "the first number is above the second; write "
                               "the lower end first: -1,1");
  }
  const bool only_waits = o.interactive && o.dump.empty() &&
                          o.embed_memory_plan.empty() && o.pack_weights.empty();
  const bool needs_model = !o.list_ops && !o.list_settings && !o.machine &&
                           !only_waits && o.tokenize.empty();
  if (!o.config.empty()) {
    CheckConfigFlags(f, o);
    o.jobs.push_back(f.job);
  } else if (!o.model_name.empty() || !o.model_dir.empty()) {
    throw CLI::ValidationError(
        o.model_name.empty() ? "--model_dir" : "--model_name",
        "it is of a deployment file; name that with --config=X.yml, or a "
        "model's files with --model_file=X.pb --model_data_file=X.data");
  } else if (!f.batch.empty()) {
    CheckBatchFlags(app);
    o.is_batch = true;
    o.jobs = ReadBatch(f.batch);
  } else if (!f.job.model_file.empty()) {
    o.jobs.push_back(f.job);
  } else if (needs_model) {
    throw CLI::RequiredError("--model_file");
  }
}

}  // namespace

int ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app{
      "Runs a converted model: loads it, runs it on given or random "
      "inputs, and reports outputs, latency and memory.",
      "mace_run"};
  JobFlags job;
  AddJobFlags(app, job, *options);
  AddDeviceFlags(app, *options);
  AddRunFlags(app, *options);
  AddSettingFlags(app, *options);
  AddResultFlags(app, *options);
  AddTextFlags(app, *options);
  AddGenerateFlags(app, options->text);
  return ParseFlags(
      app, argc, argv,
      [&] {
        for (const char* flag : {"device", "input_range"}) {
          if (app.count("--" + std::string(flag)) > 0) {
            options->given.insert(flag);
          }
        }
        Complete(app, job, *options);
      },
      FlagsOfTheConverter());
}

}  // namespace mace::tools
