// The flags of mace_run.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_OPTIONS_H_
#define TOOLS_MACE_RUN_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mace::tools {

// One model to run and what to run it on.
struct Job {
  std::string model_file;
  std::string model_data_file;
  std::map<std::string, std::string> inputs;  // name -> .npy; others are random
  std::map<std::string, std::vector<int64_t>> input_shapes;
  // Of random inputs that differ from Options::input_range: {lo, hi}.
  std::map<std::string, std::vector<float>> input_ranges;
  std::vector<std::string> outputs;  // empty: the model's
  std::string output_dir;            // empty: outputs are not written
};

// Of --generate. What flags leave open is as the model recommends.
struct GenerateFlags {
  bool is_chat = false;
  int max_new_tokens = 256;
  std::optional<float> temperature, top_p, min_p, repetition_penalty;
  std::optional<int> top_k;
  std::vector<std::string> stop;
  std::vector<int> stop_tokens;
  std::map<int32_t, float> logit_bias;
  bool ignore_stop_tokens = false;
  std::string restore, save;  // files of a sequence; empty: none
};

struct Options {
  std::vector<Job> jobs;
  bool is_batch = false;
  // A deployment file; empty: none. With one, jobs[0] has what flags say of a
  // model, but no files.
  std::string config;
  std::string model_name;  // of the file; empty: all of its models
  std::string model_dir;   // with its converted models; empty: as converted
  // The settings that flags chose, and "device" and "input_range" if they did.
  std::set<std::string> given;
  std::string device = "CPU";
  int round = 1;
  int warmup = 1;
  double deadline_ms = 0;  // of each run; 0: none
  // Settings of the engine that are not left to it or to the model, by name, as
  // MaceEngineConfig::Set takes them. A program that measures wants all that
  // the GPU has.
  std::map<std::string, std::string> settings = {{"gpu_perf_hint", "3"},
                                                 {"gpu_priority_hint", "3"}};
  std::string gpu_storage_path;  // empty: compiled programs are not kept
  std::vector<std::string> opencl_binary_files;
  std::string offline_memory_plan;  // a file; empty: none
  std::string embed_memory_plan;
  std::string pack_weights;  // an instruction set; empty: none
  std::string packed_model;  // where, without .pb and .data
  bool verify_checksum = true;
  bool into_memory = false;  // not mapped
  bool allow_nan = false;
  uint32_t seed = 1;
  std::vector<float> input_range = {-1, 1};
  std::string dump;
  bool benchmark = false;
  int max_num_runs = 100;
  double max_time = 10;  // seconds
  std::string trace_file;
  std::string json_file;
  bool wide = false;
  bool interactive = false;
  bool list_ops = false;
  bool infer_types = false;
  bool list_settings = false;
  bool machine = false;
  std::string tokenizer;  // a file; empty: none
  std::string tokenize;   // a file with texts
  bool plain_text = false;
  std::string generate;  // a file with prompts; empty: none
  GenerateFlags text;
};

// Returns the exit code if the process is to end at once (help, a wrong flag:
// the message is printed), else -1.
int ParseOptions(int argc, char** argv, Options* options);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_OPTIONS_H_
