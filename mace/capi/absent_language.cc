// Tokenizers and generators in C, in a library without the component
// `language`: nothing creates one, so whatever is asked of one fails.
// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "mace/capi/status.h"
#include "mace/public/mace_c_generator.h"
#include "mace/public/mace_c_tokenizer.h"
#include "mace/public/mace_tokenizer.h"

namespace mace::capi {
namespace {

mace_status_t AbsentLanguage() {
  // Only what is public can be called from here.
  std::shared_ptr<MaceTokenizer> tokenizer;
  return Report(MaceTokenizer::Load(nullptr, 0, &tokenizer));
}

// The same of what would create `*made`.
template <typename T>
mace_status_t AbsentLanguage(T** made) {
  if (made != nullptr) *made = nullptr;
  return AbsentLanguage();
}

// The same of an array.
template <typename T>
mace_status_t AbsentLanguage(T** made, size_t* count) {
  if (count != nullptr) *count = 0;
  return AbsentLanguage(made);
}

template <typename T>
T AbsentValue(T value) {
  (void)AbsentLanguage();
  return value;
}

}  // namespace
}  // namespace mace::capi

using mace::capi::AbsentLanguage;
using mace::capi::AbsentValue;

extern "C" {

mace_status_t mace_tokenizer_load(const char*, mace_tokenizer_t** tokenizer) {
  return AbsentLanguage(tokenizer);
}
mace_status_t mace_tokenizer_load_memory(const void*, size_t,
                                         mace_tokenizer_t** tokenizer) {
  return AbsentLanguage(tokenizer);
}
void mace_tokenizer_destroy(mace_tokenizer_t*) {}
mace_status_t mace_tokenizer_encode(const mace_tokenizer_t*, const char*,
                                    size_t, bool, bool, int32_t** ids,
                                    size_t* count) {
  return AbsentLanguage(ids, count);
}
mace_status_t mace_tokenizer_decode(const mace_tokenizer_t*, const int32_t*,
                                    size_t, bool, char** text) {
  return AbsentLanguage(text);
}
int32_t mace_tokenizer_vocab_size(const mace_tokenizer_t*) {
  return AbsentValue(0);
}
int32_t mace_tokenizer_find_token(const mace_tokenizer_t*, const char*) {
  return AbsentValue(-1);
}
int32_t mace_tokenizer_bos(const mace_tokenizer_t*) { return AbsentValue(-1); }
int32_t mace_tokenizer_eos(const mace_tokenizer_t*) { return AbsentValue(-1); }
mace_status_t mace_tokenizer_property(const mace_tokenizer_t*, const char*,
                                      char** value) {
  return AbsentLanguage(value);
}

mace_status_t mace_token_stream_create(const mace_tokenizer_t*, bool,
                                       mace_token_stream_t** stream) {
  return AbsentLanguage(stream);
}
void mace_token_stream_destroy(mace_token_stream_t*) {}
mace_status_t mace_token_stream_add(mace_token_stream_t*, int32_t,
                                    char** text) {
  return AbsentLanguage(text);
}
mace_status_t mace_token_stream_finish(mace_token_stream_t*, char** text) {
  return AbsentLanguage(text);
}

mace_status_t mace_generation_options_create(
    mace_generation_options_t** options) {
  return AbsentLanguage(options);
}
void mace_generation_options_destroy(mace_generation_options_t*) {}
mace_status_t mace_generation_options_set_sampling(mace_generation_options_t*,
                                                   float, int32_t, float, float,
                                                   uint64_t) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_repetition_penalty(
    mace_generation_options_t*, float, int32_t) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_logit_bias(mace_generation_options_t*,
                                                     int32_t, float) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_max_new_tokens(
    mace_generation_options_t*, int32_t) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_add_stop(mace_generation_options_t*,
                                               const char*) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_add_stop_token(mace_generation_options_t*,
                                                     int32_t) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_ignore_stop_tokens(
    mace_generation_options_t*, bool) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_cancellation(
    mace_generation_options_t*, const mace_cancellation_t*) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_on_text(mace_generation_options_t*,
                                                  mace_on_text_t, void*) {
  return AbsentLanguage();
}
mace_status_t mace_generation_options_set_recommended(
    mace_generation_options_t*, const mace_generator_t*) {
  return AbsentLanguage();
}

mace_status_t mace_generator_create(const mace_model_t*,
                                    const mace_tokenizer_t*,
                                    const mace_config_t*,
                                    mace_generator_t** generator) {
  return AbsentLanguage(generator);
}
void mace_generator_destroy(mace_generator_t*) {}
mace_status_t mace_generator_generate(mace_generator_t*, const char*,
                                      const mace_generation_options_t*,
                                      mace_generation_t** generation) {
  return AbsentLanguage(generation);
}
mace_status_t mace_generator_generate_from_tokens(
    mace_generator_t*, const int32_t*, size_t, const mace_generation_options_t*,
    mace_generation_t** generation) {
  return AbsentLanguage(generation);
}
mace_status_t mace_generator_chat(mace_generator_t*, const char* const*,
                                  const char* const*, size_t,
                                  const mace_generation_options_t*,
                                  mace_generation_t** generation) {
  return AbsentLanguage(generation);
}
mace_status_t mace_generator_render_chat(const mace_generator_t*,
                                         const char* const*, const char* const*,
                                         size_t, char** prompt) {
  return AbsentLanguage(prompt);
}
mace_status_t mace_generator_perplexity(mace_generator_t*, const char*,
                                        double*) {
  return AbsentLanguage();
}
mace_status_t mace_generator_embed(mace_generator_t*, const char*, const char*,
                                   float** embedding, size_t* size) {
  return AbsentLanguage(embedding, size);
}
mace_status_t mace_generator_reset(mace_generator_t*) {
  return AbsentLanguage();
}
mace_status_t mace_generator_save(const mace_generator_t*, const char*) {
  return AbsentLanguage();
}
mace_status_t mace_generator_restore(mace_generator_t*, const char*) {
  return AbsentLanguage();
}
mace_status_t mace_generator_tokens(const mace_generator_t*, int32_t** ids,
                                    size_t* count) {
  return AbsentLanguage(ids, count);
}
int64_t mace_generator_context_length(const mace_generator_t*) {
  return AbsentValue<int64_t>(-1);
}

void mace_generation_destroy(mace_generation_t*) {}
const char* mace_generation_text(const mace_generation_t*) {
  return AbsentValue<const char*>(nullptr);
}
const int32_t* mace_generation_tokens(const mace_generation_t*, size_t* count) {
  if (count != nullptr) *count = 0;
  return AbsentValue<const int32_t*>(nullptr);
}
mace_finish_reason_t mace_generation_finish_reason(const mace_generation_t*) {
  return AbsentValue<mace_finish_reason_t>(-1);
}
double mace_generation_stat(const mace_generation_t*, mace_generation_stat_t) {
  return AbsentValue(0.0);
}

}  // extern "C"
