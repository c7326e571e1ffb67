// MaceGenerator.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "mace/base/c_locale.h"
#include "mace/base/fork.h"
#include "mace/base/logging.h"
#include "mace/generation/chat_template.h"
#include "mace/generation/decoder_model.h"
#include "mace/generation/generated_text.h"
#include "mace/generation/sampler.h"
#include "mace/generation/saved_sequence.h"
#include "mace/public/mace_generator.h"

namespace mace {

using generation::DecoderModel;
using generation::Logits;

namespace {

constexpr int32_t kMaxNewTokens = 1 << 24;

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since)
      .count();
}

double PerSecond(double count, double ms) {
  return count > 0 && ms > 0 ? count * 1000 / ms : 0;
}

// Whose deadline has ended it.
MaceFinishReason ReasonToEnd(const MaceGenerationOptions& o) {
  return o.deadline->has_passed() ? MaceFinishReason::DEADLINE
                                  : MaceFinishReason::CANCELLED;
}

// A call's time with a generator, whose lines for the app's log follow it.
class Turn {
 public:
  explicit Turn(Mutex& mutex) : lock_(mutex) {}

 private:
  const HoldLog hold_log_;
  const std::lock_guard<Mutex> lock_;
};

Status CheckOptions(const MaceGenerationOptions& o, int32_t vocab_size) {
  MACE_RETURN_IF_ERROR(generation::CheckSampling(o.sampling, vocab_size));
  if (o.max_new_tokens < 0 || o.max_new_tokens > kMaxNewTokens) {
    return InvalidArgument("max_new_tokens is ", o.max_new_tokens,
                           "; it must be from 0 to ", kMaxNewTokens);
  }
  return Status();
}

Status CheckPrompt(const std::vector<int32_t>& tokens, int32_t vocab_size,
                   int64_t capacity) {
  if (tokens.empty()) {
    return InvalidArgument(
        "the prompt has no tokens; give a text, or the token that begins one");
  }
  for (const int32_t id : tokens) {
    if (id < 0 || id >= vocab_size) {
      return InvalidArgument("the prompt has token ", id,
                             "; the vocabulary has ", vocab_size);
    }
  }
  if (capacity >= 0 && tokens.size() > static_cast<size_t>(capacity)) {
    return InvalidArgument("the prompt has ", tokens.size(),
                           " tokens; the model's KV cache holds ", capacity,
                           ": shorten the prompt, or convert the model with a "
                           "larger cache");
  }
  return Status();
}

// Whether the model can choose all tokens, other than special ones, which some
// vocabularies have for models with more inputs.
Status CheckTokenizer(const DecoderModel& decoder,
                      const MaceTokenizer& tokenizer) {
  for (const MaceTensorInfo& info : decoder.engine().outputs()) {
    if (info.shape.empty() || info.shape.back() < 0) continue;
    for (int64_t id = info.shape.back(); id < tokenizer.vocab_size(); ++id) {
      if (tokenizer.IsSpecial(static_cast<int32_t>(id))) continue;
      return InvalidModel("model '", decoder.model().name(), "' computes ",
                          info.shape.back(), " logits, but token ", id,
                          " of the tokenizer is an ordinary one: it is of "
                          "another model");
    }
  }
  return Status();
}

// A property, which the converter wrote as JSON, if it is in [low, high].
double NumberOf(const MaceTokenizer& tokenizer, const char* name,
                double otherwise, double low, double high) {
  const CLocale c_locale;
  const std::string text = tokenizer.property(name);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_valid =
      !text.empty() && *end == 0 && number >= low && number <= high;
  return is_valid ? number : otherwise;
}

}  // namespace

class MaceGenerator::Impl {
 public:
  Impl(std::shared_ptr<MaceModel> m, std::shared_ptr<MaceTokenizer> t,
       const MaceEngineConfig& c, std::unique_ptr<DecoderModel> d)
      : model(std::move(m)),
        tokenizer(std::move(t)),
        config(c),
        decoder(std::move(d)) {}

  // Runs what `tokens` has behind the sequence; the logits of the last.
  Result<Logits> Prefill(const std::vector<int32_t>& tokens,
                         const MaceDeadline* deadline, size_t* reused) {
    MACE_ASSIGN_OR_RETURN(*reused, decoder->KeepPrefix(tokens));
    Logits logits;
    for (size_t at = *reused; at < tokens.size();) {
      size_t done = 0;
      MACE_ASSIGN_OR_RETURN(logits,
                            decoder->Run(tokens.data() + at, tokens.size() - at,
                                         /*all=*/false, deadline, &done));
      at += done;
    }
    return logits;
  }

  Status Generate(const std::vector<int32_t>& prompt,
                  const MaceGenerationOptions& options, MaceGeneration* result);
  void CompleteStats(double total_ms, double prompt_ms,
                     MaceGenerationStats* stats) const;
  Status Perplexity(const std::vector<int32_t>& tokens, double* perplexity);
  Status Embed(const std::vector<int32_t>& tokens, const std::string& name,
               std::vector<float>* embedding);

  const std::shared_ptr<MaceModel> model;
  const std::shared_ptr<MaceTokenizer> tokenizer;
  const MaceEngineConfig config;
  const std::unique_ptr<DecoderModel> decoder;
  mutable Mutex mutex;
  // With the tensor of the last Embed.
  std::unique_ptr<DecoderModel> embedder;
  std::string embedded;
};

Status MaceGenerator::Impl::Generate(const std::vector<int32_t>& prompt,
                                     const MaceGenerationOptions& options,
                                     MaceGeneration* result) {
  const Clock::time_point start = Clock::now();
  *result = MaceGeneration();
  const int32_t vocab_size = tokenizer->vocab_size();
  MACE_RETURN_IF_ERROR(CheckOptions(options, vocab_size));
  MACE_RETURN_IF_ERROR(CheckPrompt(prompt, vocab_size, decoder->capacity()));
  generation::Generation text(options, tokenizer, result);
  generation::Sampler sampler(options.sampling, vocab_size);
  std::vector<int32_t> seen = prompt;
  MaceGenerationStats& stats = result->stats;
  stats.prompt_tokens = static_cast<int32_t>(prompt.size());
  size_t reused = 0;
  Result<Logits> logits = Prefill(prompt, options.deadline, &reused);
  stats.reused_tokens = static_cast<int32_t>(reused);
  const double prompt_ms = Milliseconds(start);
  bool goes_on = options.max_new_tokens > 0 && logits.ok();
  while (goes_on) {
    MACE_ASSIGN_OR_RETURN(const int32_t id,
                          sampler.Choose(logits->data, logits->size, seen));
    seen.push_back(id);
    if (stats.new_tokens++ == 0) stats.first_token_ms = Milliseconds(start);
    MACE_ASSIGN_OR_RETURN(goes_on, text.Add(id));
    if (!goes_on) break;
    const int64_t capacity = decoder->capacity();
    if (stats.new_tokens == options.max_new_tokens) {
      goes_on = text.End(MaceFinishReason::LENGTH);
    } else if (capacity >= 0 &&
               decoder->tokens().size() >= static_cast<size_t>(capacity)) {
      goes_on = text.End(MaceFinishReason::CONTEXT);
    } else {
      size_t done = 0;
      Result<Logits> next =
          decoder->Run(&id, 1, /*all=*/false, options.deadline, &done);
      goes_on = next.ok();
      if (next.ok()) {
        *logits = *next;
      } else {
        logits.Fail(next.status());
      }
    }
  }
  if (!logits.ok()) {
    if (options.deadline == nullptr ||
        logits.status().code() != Status::MACE_CANCELLED) {
      return logits.status();
    }
    text.End(ReasonToEnd(options));
  }
  MACE_RETURN_IF_ERROR(text.Finish());
  CompleteStats(Milliseconds(start), prompt_ms, &stats);
  return Status();
}

void MaceGenerator::Impl::CompleteStats(double total_ms, double prompt_ms,
                                        MaceGenerationStats* stats) const {
  stats->total_ms = total_ms;
  stats->prompt_tokens_per_second =
      PerSecond(stats->prompt_tokens - stats->reused_tokens, prompt_ms);
  stats->new_tokens_per_second =
      PerSecond(stats->new_tokens - 1, total_ms - stats->first_token_ms);
  MaceMemoryUsage usage;
  if (!decoder->engine().GetMemoryUsage(&usage).ok()) return;
  for (const MaceMemoryCategory& category : usage.categories) {
    stats->memory_bytes += static_cast<uint64_t>(category.used_bytes);
  }
}

Status MaceGenerator::Impl::Perplexity(const std::vector<int32_t>& tokens,
                                       double* perplexity) {
  MACE_RETURN_IF_ERROR(
      CheckPrompt(tokens, tokenizer->vocab_size(), decoder->capacity()));
  if (tokens.size() < 2) {
    return InvalidArgument("the text has one token; perplexity needs two");
  }
  MACE_RETURN_IF_ERROR(decoder->Reset());
  double sum = 0;
  for (size_t at = 0; at + 1 < tokens.size();) {
    size_t done = 0;
    MACE_ASSIGN_OR_RETURN(
        const Logits logits,
        decoder->Run(tokens.data() + at, tokens.size() - at - 1, /*all=*/true,
                     nullptr, &done));
    for (size_t i = 0; i < done; ++i, ++at) {
      const size_t next = static_cast<size_t>(tokens[at + 1]);
      if (next >= logits.size) {
        return InvalidModel("the model has ", logits.size,
                            " logits, and none for token ", next);
      }
      const double loss =
          generation::NegativeLogLikelihood(logits.row(i), logits.size, next);
      if (std::isnan(loss)) {
        return InvalidArgument(
            "the model computed a logit that is no number "
            "behind token ",
            at, "; its numbers overflow");
      }
      sum += loss;
    }
  }
  *perplexity = std::exp(sum / static_cast<double>(tokens.size() - 1));
  return Status();
}

Status MaceGenerator::Impl::Embed(const std::vector<int32_t>& tokens,
                                  const std::string& name,
                                  std::vector<float>* embedding) {
  MACE_RETURN_IF_ERROR(
      CheckPrompt(tokens, tokenizer->vocab_size(), decoder->capacity()));
  if (embedder == nullptr || embedded != name) {
    MACE_ASSIGN_OR_RETURN(embedder,
                          DecoderModel::Create(model, config, {name}));
    embedded = name;
  }
  MACE_RETURN_IF_ERROR(embedder->Reset());
  std::vector<double> sum;
  for (size_t at = 0; at < tokens.size();) {
    size_t done = 0;
    MACE_RETURN_IF_ERROR(embedder
                             ->Run(tokens.data() + at, tokens.size() - at,
                                   /*all=*/false, nullptr, &done)
                             .status());
    const MaceTensor* found = embedder->Tensor(name);
    const size_t rank = found == nullptr ? 0 : found->shape().size();
    if (rank < 2 || found->data() == nullptr ||
        found->shape()[rank - 2] != static_cast<int64_t>(done) ||
        found->shape()[rank - 1] <= 0 ||
        std::any_of(
            found->shape().begin(), found->shape().end() - 2,
            [](int64_t n) { return n != 1; })) {
      return InvalidArgument(
          "'", name, "' is no float32 tensor with a row for each token");
    }
    const size_t size = static_cast<size_t>(found->shape()[rank - 1]);
    sum.resize(size);
    for (size_t i = 0; i < done * size; ++i) {
      sum[i % size] += found->data().get()[i];
    }
    at += done;
  }
  double squares = 0;
  for (const double x : sum) squares += x * x;
  const double length = squares > 0 ? std::sqrt(squares) : 1;
  embedding->clear();
  for (const double x : sum) {
    embedding->push_back(static_cast<float>(x / length));
  }
  return Status();
}

MaceGenerator::MaceGenerator(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
MaceGenerator::~MaceGenerator() = default;

MaceStatus MaceGenerator::Create(std::shared_ptr<MaceModel> model,
                                 std::shared_ptr<MaceTokenizer> tokenizer,
                                 const MaceEngineConfig& config,
                                 std::shared_ptr<MaceGenerator>* generator) {
  if (model == nullptr) return InvalidArgument("model is null");
  if (tokenizer == nullptr) return InvalidArgument("tokenizer is null");
  if (generator == nullptr) return InvalidArgument("generator is null");
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<DecoderModel> decoder,
                        DecoderModel::Create(model, config, {}));
  MACE_RETURN_IF_ERROR(CheckTokenizer(*decoder, *tokenizer));
  generator->reset(new MaceGenerator(std::make_unique<Impl>(
      std::move(model), std::move(tokenizer), config, std::move(decoder))));
  return MaceStatus();
}

MaceStatus MaceGenerator::Generate(const std::string& prompt,
                                   const MaceGenerationOptions& options,
                                   MaceGeneration* generation) {
  std::vector<int32_t> tokens;
  MACE_RETURN_IF_ERROR(impl_->tokenizer->Encode(prompt, &tokens));
  return GenerateFromTokens(tokens, options, generation);
}

MaceStatus MaceGenerator::GenerateFromTokens(
    const std::vector<int32_t>& prompt, const MaceGenerationOptions& options,
    MaceGeneration* generation) {
  if (generation == nullptr) return InvalidArgument("generation is null");
  const Turn turn(impl_->mutex);
  return impl_->Generate(prompt, options, generation);
}

MaceStatus MaceGenerator::Chat(const std::vector<MaceChatMessage>& messages,
                               const MaceGenerationOptions& options,
                               MaceGeneration* generation) {
  std::string prompt;
  MACE_RETURN_IF_ERROR(RenderChat(messages, &prompt));
  MaceEncodeOptions encode;  // templates write the first token themselves
  encode.add_special_tokens = false;
  std::vector<int32_t> tokens;
  MACE_RETURN_IF_ERROR(impl_->tokenizer->Encode(prompt, &tokens, encode));
  return GenerateFromTokens(tokens, options, generation);
}

MaceStatus MaceGenerator::RenderChat(
    const std::vector<MaceChatMessage>& messages, std::string* prompt) const {
  if (prompt == nullptr) return InvalidArgument("prompt is null");
  const std::string source = impl_->tokenizer->property("chat_template");
  if (source.empty()) {
    return InvalidArgument(
        "the tokenizer has no chat template: write the prompt yourself, for "
        "Generate");
  }
  std::vector<std::pair<std::string, std::string>> strings;
  for (const char* name : {"bos_token", "eos_token", "pad_token"}) {
    strings.emplace_back(name, impl_->tokenizer->property(name));
  }
  MACE_ASSIGN_OR_RETURN(
      *prompt, generation::RenderChatTemplate(source, messages, strings));
  return MaceStatus();
}

MaceStatus MaceGenerator::Perplexity(const std::string& text,
                                     double* perplexity) {
  if (perplexity == nullptr) return InvalidArgument("perplexity is null");
  std::vector<int32_t> tokens;
  MACE_RETURN_IF_ERROR(impl_->tokenizer->Encode(text, &tokens));
  const Turn turn(impl_->mutex);
  return impl_->Perplexity(tokens, perplexity);
}

MaceStatus MaceGenerator::Embed(const std::string& text,
                                const std::string& tensor,
                                std::vector<float>* embedding) {
  if (embedding == nullptr) return InvalidArgument("embedding is null");
  std::vector<int32_t> tokens;
  MACE_RETURN_IF_ERROR(impl_->tokenizer->Encode(text, &tokens));
  const Turn turn(impl_->mutex);
  return impl_->Embed(tokens, tensor, embedding);
}

MaceStatus MaceGenerator::Reset() {
  const Turn turn(impl_->mutex);
  return impl_->decoder->Reset();
}

MaceStatus MaceGenerator::Save(const std::string& file) const {
  const Turn turn(impl_->mutex);
  return generation::SaveSequence(file, *impl_->tokenizer, *impl_->decoder);
}

MaceStatus MaceGenerator::Restore(const std::string& file) {
  const Turn turn(impl_->mutex);
  return generation::RestoreSequence(file, *impl_->tokenizer,
                                     impl_->decoder.get());
}

std::vector<int32_t> MaceGenerator::tokens() const {
  const Turn turn(impl_->mutex);
  return impl_->decoder->tokens();
}

int64_t MaceGenerator::context_length() const {
  return impl_->decoder->capacity();
}

MaceSampling MaceGenerator::recommended_sampling() const {
  const MaceTokenizer& t = *impl_->tokenizer;
  MaceSampling s;
  // As transformers: without do_sample it is greedy.
  const bool samples = t.property("do_sample") == "true";
  s.temperature =
      samples ? static_cast<float>(NumberOf(t, "temperature", 1, 0, 100)) : 0;
  s.top_k = static_cast<int32_t>(NumberOf(t, "top_k", 0, 0, 1 << 30));
  s.top_p = static_cast<float>(NumberOf(t, "top_p", 1, 0, 1));
  s.min_p = static_cast<float>(NumberOf(t, "min_p", 0, 0, 1));
  s.repetition_penalty =
      static_cast<float>(NumberOf(t, "repetition_penalty", 1, 0.01, 100));
  return s;
}

const char* MaceFinishReasonName(MaceFinishReason reason) {
  static const char* const kNames[] = {"stop_token", "stop_string", "length",
                                       "context",    "callback",    "cancelled",
                                       "deadline"};
  const size_t i = static_cast<size_t>(reason);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

}  // namespace mace
