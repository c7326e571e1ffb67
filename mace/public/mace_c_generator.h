// Text from a language model, token by token.
// SPDX-License-Identifier: Apache-2.0
//
// mace/public/mace_generator.h describes what these functions do, and the
// values that options have unless they are set.
#ifndef MACE_PUBLIC_MACE_C_GENERATOR_H_
#define MACE_PUBLIC_MACE_C_GENERATOR_H_

#include "mace/public/mace_c.h"
#include "mace/public/mace_c_tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mace_generator mace_generator_t;
typedef struct mace_generation_options mace_generation_options_t;
typedef struct mace_generation mace_generation_t;

// Why a generation ended.
typedef int32_t mace_finish_reason_t;
enum {
  MACE_FINISH_STOP_TOKEN = 0,
  MACE_FINISH_STOP_STRING = 1,
  MACE_FINISH_LENGTH = 2,
  MACE_FINISH_CONTEXT = 3,
  MACE_FINISH_CALLBACK = 4,
  MACE_FINISH_CANCELLED = 5,
  MACE_FINISH_DEADLINE = 6
};

// What mace_generation_stat returns.
typedef int32_t mace_generation_stat_t;
enum {
  MACE_STAT_PROMPT_TOKENS = 0,
  MACE_STAT_REUSED_TOKENS = 1,
  MACE_STAT_NEW_TOKENS = 2,
  MACE_STAT_FIRST_TOKEN_MS = 3,
  MACE_STAT_TOTAL_MS = 4,
  MACE_STAT_PROMPT_TOKENS_PER_SECOND = 5,
  MACE_STAT_NEW_TOKENS_PER_SECOND = 6,
  MACE_STAT_MEMORY_BYTES = 7
};

// Gets `bytes` bytes of text, whole characters only, on the thread that
// generates; a 0 follows them. Valid until the function returns. Returns
// whether to go on. Must not call functions of the generator.
typedef bool (*mace_on_text_t)(void* user, const char* part, size_t bytes);

// Options of generations. Setters fail for a null only; a generation fails with
// MACE_INVALID_ARGS for values out of range. Destroying null does nothing.
// Threads: any; setters one at a time for `options`.
MACE_API mace_status_t
mace_generation_options_create(mace_generation_options_t** options);
MACE_API void mace_generation_options_destroy(
    mace_generation_options_t* options);
MACE_API mace_status_t mace_generation_options_set_sampling(
    mace_generation_options_t* options, float temperature, int32_t top_k,
    float top_p, float min_p, uint64_t seed);
MACE_API mace_status_t mace_generation_options_set_repetition_penalty(
    mace_generation_options_t* options, float penalty, int32_t tokens);
MACE_API mace_status_t mace_generation_options_set_logit_bias(
    mace_generation_options_t* options, int32_t id, float bias);
MACE_API mace_status_t mace_generation_options_set_max_new_tokens(
    mace_generation_options_t* options, int32_t tokens);
MACE_API mace_status_t mace_generation_options_add_stop(
    mace_generation_options_t* options, const char* text);
MACE_API mace_status_t mace_generation_options_add_stop_token(
    mace_generation_options_t* options, int32_t id);
MACE_API mace_status_t mace_generation_options_set_ignore_stop_tokens(
    mace_generation_options_t* options, bool ignore);
// Lets `cancellation` end generations, from another thread or when its deadline
// has passed. It must outlive them; null: none.
MACE_API mace_status_t mace_generation_options_set_cancellation(
    mace_generation_options_t* options,
    const mace_cancellation_t* cancellation);
// Null: none.
MACE_API mace_status_t mace_generation_options_set_on_text(
    mace_generation_options_t* options, mace_on_text_t on_text, void* user);

// Sets what the makers of the model recommend: temperature, top_k, top_p, min_p
// and the repetition penalty. The rest of `options` stays. Threads: one at a
// time for `options`.
MACE_API mace_status_t mace_generation_options_set_recommended(
    mace_generation_options_t* options, const mace_generator_t* generator);

// Stores a generator, whose sequence is empty, in `*generator`, or null on an
// error. The model and the tokenizer may be destroyed before it. Threads: any,
// while no call changes `config`.
MACE_API mace_status_t mace_generator_create(const mace_model_t* model,
                                             const mace_tokenizer_t* tokenizer,
                                             const mace_config_t* config,
                                             mace_generator_t** generator);
// Null does nothing. Threads: any, once no other call uses `generator`.
MACE_API void mace_generator_destroy(mace_generator_t* generator);

// Each stores what was generated in `*generation`, which the caller destroys,
// or null on an error. Null `options` are the defaults. Threads: any, while no
// call changes `options`; calls for one generator run one after the other.
MACE_API mace_status_t mace_generator_generate(
    mace_generator_t* generator, const char* prompt,
    const mace_generation_options_t* options, mace_generation_t** generation);
MACE_API mace_status_t mace_generator_generate_from_tokens(
    mace_generator_t* generator, const int32_t* prompt, size_t count,
    const mace_generation_options_t* options, mace_generation_t** generation);
// `roles` and `contents` have `count` strings each, one of each for a message.
MACE_API mace_status_t mace_generator_chat(
    mace_generator_t* generator, const char* const* roles,
    const char* const* contents, size_t count,
    const mace_generation_options_t* options, mace_generation_t** generation);
// Stores the prompt that mace_generator_chat makes of the messages in
// `*prompt`, which the caller gives back with mace_free, or null on an error.
MACE_API mace_status_t mace_generator_render_chat(
    const mace_generator_t* generator, const char* const* roles,
    const char* const* contents, size_t count, char** prompt);

// Null does nothing. Threads: any, once no other call uses `generation`.
MACE_API void mace_generation_destroy(mace_generation_t* generation);
// What was generated. The text and the tokens belong to `generation` and are
// valid as long as it; the tokens may be null if there are none. For null (an
// error): null, -1 and 0. Threads: any.
MACE_API const char* mace_generation_text(const mace_generation_t* generation);
MACE_API const int32_t* mace_generation_tokens(
    const mace_generation_t* generation, size_t* count);
MACE_API mace_finish_reason_t
mace_generation_finish_reason(const mace_generation_t* generation);
// 0 for a `stat` that this library does not have, which leaves no message.
MACE_API double mace_generation_stat(const mace_generation_t* generation,
                                     mace_generation_stat_t stat);

// As the functions of the same name in mace_generator.h. Threads: any; calls
// for one generator run one after the other.
MACE_API mace_status_t mace_generator_perplexity(mace_generator_t* generator,
                                                 const char* text,
                                                 double* perplexity);
// Stores an array of `*size` numbers in `*embedding`, or null on an error. The
// caller gives (char*)*embedding back with mace_free. REQUIRES: the config has
// no mace_config_set_arena, as in mace_generator.h.
MACE_API mace_status_t mace_generator_embed(mace_generator_t* generator,
                                            const char* text,
                                            const char* tensor,
                                            float** embedding, size_t* size);
MACE_API mace_status_t mace_generator_reset(mace_generator_t* generator);
MACE_API mace_status_t mace_generator_save(const mace_generator_t* generator,
                                           const char* file);
MACE_API mace_status_t mace_generator_restore(mace_generator_t* generator,
                                              const char* file);
// Stores the tokens of the sequence (null if there are none) and their number.
// The caller gives (char*)*ids back with mace_free.
MACE_API mace_status_t mace_generator_tokens(const mace_generator_t* generator,
                                             int32_t** ids, size_t* count);
// Returns the capacity of the KV cache in tokens, or -1: only the model's
// inputs limit a sequence, or `generator` is null (an error).
MACE_API int64_t
mace_generator_context_length(const mace_generator_t* generator);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_GENERATOR_H_
