// MaceGenerator: text from a language model, token by token.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceGenerator  One sequence of tokens in a language model: a prompt or the
//                  messages of a chat go in, text comes out through a callback.
//
// The model takes the numbers of tokens and computes logits; it keeps keys and
// values of earlier tokens as states, if it has any (docs/language_models.md).
// If the model has a KV cache of fixed capacity, only the part of a prompt that
// differs from the sequence is computed. A cache that grows is only used again
// by a prompt that begins with the whole sequence; a model without states
// computes all tokens each time. A library has this class with the component
// `language`; without it, Create returns MACE_UNSUPPORTED.
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

// How the next token is chosen: adds logit_bias, applies the repetition penalty
// and the temperature, sorts the tokens by their logits (equal ones by their
// numbers), keeps those that top_k, top_p and min_p leave, and draws one.
struct MaceSampling {
  // From 0 to 100; 0: greedy, the token with the largest logit.
  float temperature = 0;
  int32_t top_k = 0;  // the tokens with the largest logits; 0: all
  // From 0 to 1: the fewest tokens whose probabilities sum to at least this; 0:
  // one, 1: all.
  float top_p = 1;
  // From 0 to 1: tokens at least this fraction as probable as the first; 0:
  // all.
  float min_p = 0;
  // From 0.01 to 100. Divides the logits of tokens seen so far that are
  // positive, and multiplies the others; 1: unchanged.
  float repetition_penalty = 1;
  int32_t penalty_tokens = 0;  // the last ones that count as seen; 0: all
  // The same seed and the same logits give the same tokens. Logits may differ
  // by rounding between devices, numbers of threads, and prompts of which
  // earlier calls have computed different parts.
  uint64_t seed = 0;
  std::map<int32_t, float> logit_bias;  // is added to logits, by token; no NaN
};

enum class MaceFinishReason {
  STOP_TOKEN = 0,   // a token that ends a text
  STOP_STRING = 1,  // a string of MaceGenerationOptions::stop
  LENGTH = 2,       // max_new_tokens
  CONTEXT = 3,      // the KV cache is full (context_length())
  CALLBACK = 4,     // the callback returned false
  CANCELLED = 5,    // MaceDeadline::Cancel
  DEADLINE = 6,     // the deadline has passed
};

struct MaceGenerationOptions {
  MaceSampling sampling;
  int32_t max_new_tokens = 256;      // from 0 to 2^24
  std::vector<std::string> stop;     // not part of the text
  std::vector<int32_t> stop_tokens;  // besides those of the tokenizer
  bool ignore_stop_tokens = false;   // those of the tokenizer
  // Ends the generation from another thread, or when its time has passed. Must
  // outlive the call; null: none.
  const MaceDeadline* deadline = nullptr;
  // Gets the text in parts of whole characters, on the thread of the call.
  // Returns whether to go on. Must not throw or call functions of the
  // generator. Empty: none.
  std::function<bool(const std::string& part)> on_text;
};

struct MaceGenerationStats {
  int32_t prompt_tokens = 0;
  int32_t reused_tokens = 0;  // of them: computed by earlier calls
  int32_t new_tokens = 0;
  // From when the call has the generator, after encoding the prompt and waiting
  // for other calls: to the first token, and to the end.
  double first_token_ms = 0;
  double total_ms = 0;
  double prompt_tokens_per_second = 0;  // of those not reused
  double new_tokens_per_second = 0;     // after the first
  uint64_t memory_bytes = 0;  // of the engine with its weights; 0: unknown
};

struct MaceGeneration {
  std::string text;             // without a stop string
  std::vector<int32_t> tokens;  // with the stop token, if one ended the text
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

  // Continues `prompt` and replaces `*generation`. Errors: MACE_INVALID_ARGS
  // for a null, for an option out of range, for a prompt without tokens, of
  // more than 4 MiB or longer than the model's context, and for logits of which
  // one is NaN or +infinity, or all are -infinity; MACE_INVALID_MODEL if the
  // logits are not float32 or have no row for a token; those of
  // MaceEngine::Run, also MACE_INVALID_ARGS if context_length() is -1 and the
  // sequence outgrows the model's inputs: `*generation` then has the text so
  // far, but no valid finish_reason. A generation that is cancelled or meets
  // its deadline succeeds, with that as its finish_reason and the text so far.
  MaceStatus Generate(const std::string& prompt,
                      const MaceGenerationOptions& options,
                      MaceGeneration* generation);
  // The same from tokens. Further errors: MACE_INVALID_ARGS for a number that
  // is no token.
  MaceStatus GenerateFromTokens(const std::vector<int32_t>& prompt,
                                const MaceGenerationOptions& options,
                                MaceGeneration* generation);
  // Answers the last of `messages`. Errors: as RenderChat and Generate.
  MaceStatus Chat(const std::vector<MaceChatMessage>& messages,
                  const MaceGenerationOptions& options,
                  MaceGeneration* generation);
  // Stores the prompt that Chat makes of `messages`. Errors: MACE_INVALID_ARGS
  // for a null, and if the tokenizer has no chat template, or its template
  // fails; MACE_UNSUPPORTED for a template with a construct that is not
  // supported, by its name.
  MaceStatus RenderChat(const std::vector<MaceChatMessage>& messages,
                        std::string* prompt) const;

  // Stores exp(mean negative log likelihood) of the tokens of `text` but the
  // first, each after those before it. The sequence becomes `text` without its
  // last token. Errors: MACE_INVALID_ARGS for a null, for more than 4 MiB, for
  // fewer than two tokens or more than the model's context, and for logits as
  // in Generate; MACE_INVALID_MODEL as Generate, and if a token has no logit;
  // those of MaceEngine::Run.
  MaceStatus Perplexity(const std::string& text, double* perplexity);
  // Stores the mean over the tokens of `text` of the float32 tensor `tensor`
  // [1, tokens, size] of the model, scaled to a Euclidean length of 1 unless it
  // is 0. The sequence stays; an engine of its own, which is kept for the next
  // text, computes the tensor. REQUIRES: the config has no SetArena, whose
  // memory only one engine can use. Errors: MACE_INVALID_ARGS for a null, for a
  // name that is no such tensor, and for a text of more than 4 MiB, without
  // tokens or longer than the model's context; MACE_INVALID_MODEL as Generate;
  // those of MaceEngine::Create and Run.
  MaceStatus Embed(const std::string& text, const std::string& tensor,
                   std::vector<float>* embedding);

  // Forgets the sequence. Errors: as MaceEngine::ResetState.
  MaceStatus Reset();
  // Writes the sequence and the states of the model to a file, or reads a file
  // that the same model and tokenizer have written. Errors: MACE_INVALID_ARGS
  // if the file cannot be written or read; MACE_INVALID_MODEL if it is damaged,
  // or of another model, tokenizer or version; MACE_OUT_OF_RESOURCES if memory
  // or the disk is full. After an error the sequence is as before.
  MaceStatus Save(const std::string& file) const;
  MaceStatus Restore(const std::string& file);

  // The sequence: the tokens that the model has computed and not forgotten.
  std::vector<int32_t> tokens() const;
  // The capacity of the KV cache in tokens, which limits a sequence; -1: only
  // the model's inputs limit it.
  int64_t context_length() const;
  // What the makers of the model recommend, which the tokenizer's file has from
  // generation_config.json; greedy unless `do_sample` is true there. A value
  // that is missing or out of range is left at its default; the temperature is
  // then 1 if `do_sample` is true.
  MaceSampling recommended_sampling() const;

  class Impl;

 private:
  explicit MaceGenerator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The name of a reason, such as "stop_token"; static memory. "unknown" for
// another number.
MACE_API const char* MaceFinishReasonName(MaceFinishReason reason);

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_GENERATOR_H_
