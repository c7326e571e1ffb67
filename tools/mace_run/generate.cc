// --generate, through the public API.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/generate.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "mace/public/mace_generator.h"
#include "tools/mace_run/run_model.h"
#include "tools/mace_run/tokenize.h"

namespace mace::tools {
namespace {

// Beside the model, where the converter writes it, unless a flag names it.
std::string TokenizerOf(const Options& options) {
  if (!options.tokenizer.empty()) return options.tokenizer;
  return std::filesystem::path(options.jobs[0].model_file)
      .replace_extension(".tokenizer")
      .string();
}

Result<std::shared_ptr<MaceGenerator>> OpenGenerator(const Options& options) {
  MACE_ASSIGN_OR_RETURN(const std::shared_ptr<MaceModel> model,
                        LoadModelOf(options.jobs[0], options));
  MACE_ASSIGN_OR_RETURN(const MaceEngineConfig config, ConfigOf(options));
  std::shared_ptr<MaceTokenizer> tokenizer;
  const Status status = MaceTokenizer::Load(TokenizerOf(options), &tokenizer);
  if (!status.ok()) {
    return Status(status.code(),
                  status.information() +
                      "; name the file that `converter.py tokenizer` makes "
                      "with --tokenizer");
  }
  std::shared_ptr<MaceGenerator> generator;
  MACE_RETURN_IF_ERROR(
      MaceGenerator::Create(model, tokenizer, config, &generator));
  return generator;
}

MaceGenerationOptions OptionsOf(const Options& options,
                                const MaceSampling& recommended) {
  const GenerateFlags& f = options.text;
  MaceGenerationOptions o;
  MaceSampling& s = o.sampling = recommended;
  s.temperature = f.temperature.value_or(s.temperature);
  s.top_k = f.top_k.value_or(s.top_k);
  s.top_p = f.top_p.value_or(s.top_p);
  s.min_p = f.min_p.value_or(s.min_p);
  s.repetition_penalty = f.repetition_penalty.value_or(s.repetition_penalty);
  s.seed = options.seed;
  s.logit_bias = f.logit_bias;
  o.max_new_tokens = f.max_new_tokens;
  o.stop = f.stop;
  o.stop_tokens.assign(f.stop_tokens.begin(), f.stop_tokens.end());
  o.ignore_stop_tokens = f.ignore_stop_tokens;
  o.on_text = [](const std::string& part) {
    std::fwrite(part.data(), 1, part.size(), stdout);
    return std::fflush(stdout) == 0;  // as long as somebody reads it
  };
  return o;
}

nlohmann::json ToJson(const MaceGeneration& g) {
  const MaceGenerationStats& s = g.stats;
  return {{"text", g.text},
          {"tokens", g.tokens},
          {"finish_reason", MaceFinishReasonName(g.finish_reason)},
          {"prompt_tokens", s.prompt_tokens},
          {"reused_tokens", s.reused_tokens},
          {"new_tokens", s.new_tokens},
          {"first_token_ms", s.first_token_ms},
          {"total_ms", s.total_ms},
          {"prompt_tokens_per_second", s.prompt_tokens_per_second},
          {"new_tokens_per_second", s.new_tokens_per_second},
          {"memory_bytes", s.memory_bytes}};
}

void PrintStatistics(const MaceGeneration& g) {
  const MaceGenerationStats& s = g.stats;
  std::fprintf(stderr,
               "%d tokens of prompt (%d computed before) at %.1f a second, "
               "first token after %.1f ms, %d new tokens at %.1f a second, "
               "%.1f MB, ended by: %s\n",
               s.prompt_tokens, s.reused_tokens, s.prompt_tokens_per_second,
               s.first_token_ms, s.new_tokens, s.new_tokens_per_second,
               static_cast<double>(s.memory_bytes) / 1e6,
               MaceFinishReasonName(g.finish_reason));
}

}  // namespace

Result<nlohmann::json> GenerateTexts(const Options& options) {
  MACE_ASSIGN_OR_RETURN(TextReader prompts, TextReader::Open(options.generate));
  MACE_ASSIGN_OR_RETURN(const auto generator, OpenGenerator(options));
  const GenerateFlags& flags = options.text;
  if (!flags.restore.empty()) {
    MACE_RETURN_IF_ERROR(generator->Restore(flags.restore));
  }
  MaceGenerationOptions o =
      OptionsOf(options, generator->recommended_sampling());
  nlohmann::json generations = nlohmann::json::array();
  for (std::string prompt;;) {
    MACE_ASSIGN_OR_RETURN(const bool is_there, prompts.Next(&prompt));
    if (!is_there) break;
    MaceDeadline deadline;
    if (options.deadline_ms > 0) {
      deadline.Set(static_cast<int64_t>(options.deadline_ms * 1000));
    }
    o.deadline = &deadline;
    MaceGeneration made;
    MACE_RETURN_IF_ERROR(flags.is_chat
                             ? generator->Chat({{"user", prompt}}, o, &made)
                             : generator->Generate(prompt, o, &made));
    std::printf("\n");
    std::fflush(stdout);
    PrintStatistics(made);
    generations.push_back(ToJson(made));
  }
  if (!flags.save.empty()) MACE_RETURN_IF_ERROR(generator->Save(flags.save));
  return nlohmann::json{{"generations", std::move(generations)}};
}

}  // namespace mace::tools
