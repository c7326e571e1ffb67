// MaceGenerator: text from a language model, token by token.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceGenerator  One sequence of tokens in a language model: a prompt or the
//                  messages of a chat go in, text comes out through a callback.
//
// The model takes the numbers of tokens and computes logits; it keeps keys and
// values of earlier tokens as states, if it has any (docs/language_models.md).
// A prompt that begins as the sequence does is only computed from where it
// differs. A library has this class with the component `language`; without it,
// creating a generator is MACE_UNSUPPORTED.
#ifndef MACE_PUBLIC_MACE_GENERATOR_H_
#define MACE_PUBLIC_MACE_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/mace_cancellation.h"
#include "mace/public/mace_config.h"
#include "mace/public/mace_model.h"
#include "mace/public/mace_tokenizer.h"
#include "mace/public/status.h"

namespace mace {

// How the next token is chosen: logit_bias, then the repetition penalty, then
// the temperature, then of the tokens in order of their logits (equal ones by
// their numbers) those that top_k, top_p and min_p leave, then a draw.
struct MaceSampling {
  float temperature = 0;  // 0: greedy, the token with the largest logit
  int32_t top_k = 0;      // the tokens with the largest logits; 0: all
  // The fewest tokens whose probabilities sum to this; 0: one, 1: all.
  float top_p = 1;
  // Tokens at least this fraction as probable as the first; 0: all.
  float min_p = 0;
  // Logits of tokens seen so far: divided by it if positive, multiplied
  // otherwise; 1: unchanged.
  float repetition_penalty = 1;
  int32_t penalty_tokens = 0;  // the last ones that count as seen; 0: all
  // The same seed, model, prompt and number of threads give the same text.
  uint64_t seed = 0;
  std::map<int32_t, float> logit_bias;  // is added to logits, by token
};

enum class MaceFinishReason {
  STOP_TOKEN = 0,   // a token that ends a text
  STOP_STRING = 1,  // a string of MaceGenerationOptions::stop
  LENGTH = 2,       // max_new_tokens
  CONTEXT = 3,      // the model's context is full
  CALLBACK = 4,     // the callback returned false
  CANCELLED = 5,    // MaceDeadline::Cancel
  DEADLINE = 6,     // the deadline has passed
};

struct MaceGenerationOptions {
  MaceSampling sampling;
  int32_t max_new_tokens = 256;
  std::vector<std::string> stop;     // not part of the text
  std::vector<int32_t> stop_tokens;  // besides those of the tokenizer
  bool ignore_stop_tokens = false;   // those of the tokenizer
  // Ends the generation from another thread, or in time. Must outlive the call;
  // null: none.
  const MaceDeadline* deadline = nullptr;
  // Gets the text in parts of whole characters. Returns whether to go on. Must
  // not call functions of the generator.
  std::function<bool(const std::string& part)> on_text;
};

struct MaceGenerationStats {
  int32_t prompt_tokens = 0;
  int32_t reused_tokens = 0;  // of them: computed by earlier calls
  int32_t new_tokens = 0;
  double first_token_ms = 0;  // from the call to the first token
  double total_ms = 0;
  double prompt_tokens_per_second = 0;
  double new_tokens_per_second = 0;  // after the first
  uint64_t memory_bytes = 0;  // of the engine with its weights; 0: unknown
};

struct MaceGeneration {
  std::string text;
  std::vector<int32_t> tokens;
  MaceFinishReason finish_reason = MaceFinishReason::LENGTH;
  MaceGenerationStats stats;
};

struct MaceChatMessage {
  std::string role;  // "system", "user", "assistant" or another of the template
  std::string content;
};

// Thread-safe: calls run one after the other.
class MACE_API MaceGenerator {
 public:
  ~MaceGenerator();
  MaceGenerator(const MaceGenerator&) = delete;
  MaceGenerator& operator=(const MaceGenerator&) = delete;

  // Prepares a sequence. Several generators may share a model, whose weights
  // are then in memory once. Errors: as MaceEngine::Create, MACE_INVALID_MODEL
  // for a model that is no language model, or one that has no logit for a token
  // of the tokenizer, other than special ones.
  static MaceStatus Create(std::shared_ptr<MaceModel> model,
                           std::shared_ptr<MaceTokenizer> tokenizer,
                           const MaceEngineConfig& config,
                           std::shared_ptr<MaceGenerator>* generator);

  // Continues `prompt`. Errors: MACE_INVALID_ARGS for an option out of range,
  // or a prompt that the model's context has no place for. A generation that is
  // cancelled or meets its deadline succeeds, with that as its reason and the
  // text so far.
  MaceStatus Generate(const std::string& prompt,
                      const MaceGenerationOptions& options,
                      MaceGeneration* generation);
  // The same from tokens.
  MaceStatus GenerateFromTokens(const std::vector<int32_t>& prompt,
                                const MaceGenerationOptions& options,
                                MaceGeneration* generation);
  // Answers the last of `messages`. Errors: MACE_INVALID_ARGS if the tokenizer
  // has no chat template, or its template fails; MACE_UNSUPPORTED for a
  // template with a construct that is not supported, by its name.
  MaceStatus Chat(const std::vector<MaceChatMessage>& messages,
                  const MaceGenerationOptions& options,
                  MaceGeneration* generation);
  // The prompt that Chat makes of messages.
  MaceStatus RenderChat(const std::vector<MaceChatMessage>& messages,
                        std::string* prompt) const;

  // exp(mean negative log likelihood) of the tokens of `text`, each after those
  // before it. The sequence becomes this text. Errors: MACE_INVALID_ARGS for
  // fewer than two tokens or more than the model's context.
  MaceStatus Perplexity(const std::string& text, double* perplexity);
  // The mean over the tokens of `text` of a tensor [1, tokens, size] of the
  // model, with a length of 1. The sequence stays; the engine that computes
  // the tensor is kept for the next text. Errors: MACE_INVALID_ARGS for a name
  // that is no such tensor.
  MaceStatus Embed(const std::string& text, const std::string& tensor,
                   std::vector<float>* embedding);

  // Forgets the sequence.
  MaceStatus Reset();
  // Writes the sequence and the states of the model to a file, or reads one
  // that the same model and tokenizer have written. Errors: MACE_INVALID_ARGS
  // if the file cannot be written or read; MACE_INVALID_MODEL if it is damaged,
  // or of another model, tokenizer or version. Then the sequence is as before.
  MaceStatus Save(const std::string& file) const;
  MaceStatus Restore(const std::string& file);

  // The tokens whose keys and values the model holds.
  std::vector<int32_t> tokens() const;
  // The most tokens of a sequence; -1: only the model's inputs limit it.
  int64_t context_length() const;
  // What the makers of the model recommend, which the tokenizer's file has from
  // generation_config.json; greedy without it.
  MaceSampling recommended_sampling() const;

  class Impl;

 private:
  explicit MaceGenerator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The name of a reason, such as "stop_token".
MACE_API const char* MaceFinishReasonName(MaceFinishReason reason);

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_GENERATOR_H_
