// Generators in C.
// SPDX-License-Identifier: Apache-2.0

#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "mace/capi/language.h"
#include "mace/capi/objects.h"
#include "mace/public/mace_c_generator.h"
#include "mace/public/mace_generator.h"

struct mace_generator {
  std::shared_ptr<mace::MaceGenerator> generator;
};

struct mace_generation_options {
  mace::MaceGenerationOptions options;
};

struct mace_generation {
  mace::MaceGeneration generation;
};

namespace mace::capi {
namespace {

// Stores what `generate` generates.
template <typename F>
mace_status_t StoreGeneration(const mace_generation_options_t* options,
                              mace_generation_t** stored, const F& generate) {
  auto* made = new (std::nothrow) mace_generation;
  MACE_CAPI_RETURN_IF_ERROR(Made(made));
  const mace_generation_options own;
  const MaceGenerationOptions& o =
      (options == nullptr ? own : *options).options;
  const mace_status_t status = Report(generate(o, &made->generation));
  if (status == MACE_SUCCESS) {
    *stored = made;
  } else {
    delete made;
  }
  return status;
}

mace_status_t CopyMessages(const char* function, const char* const* roles,
                           const char* const* contents, size_t count,
                           std::vector<MaceChatMessage>* messages) {
  std::vector<std::string> names, texts;
  MACE_CAPI_RETURN_IF_ERROR(CopyNames(function, "roles", roles, count, &names));
  MACE_CAPI_RETURN_IF_ERROR(
      CopyNames(function, "contents", contents, count, &texts));
  for (size_t i = 0; i < count; ++i) messages->push_back({names[i], texts[i]});
  return MACE_SUCCESS;
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;
using mace::MaceGenerator;

extern "C" {

mace_status_t mace_generation_options_create(
    mace_generation_options_t** options) {
  MACE_CAPI_NOT_NULL(options);
  *options = new (std::nothrow) mace_generation_options;
  return capi::Made(*options);
}

void mace_generation_options_destroy(mace_generation_options_t* options) {
  delete options;
}

mace_status_t mace_generation_options_set_sampling(
    mace_generation_options_t* options, float temperature, int32_t top_k,
    float top_p, float min_p, uint64_t seed) {
  MACE_CAPI_NOT_NULL(options);
  mace::MaceSampling& sampling = options->options.sampling;
  sampling.temperature = temperature;
  sampling.top_k = top_k;
  sampling.top_p = top_p;
  sampling.min_p = min_p;
  sampling.seed = seed;
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_repetition_penalty(
    mace_generation_options_t* options, float penalty, int32_t tokens) {
  MACE_CAPI_NOT_NULL(options);
  options->options.sampling.repetition_penalty = penalty;
  options->options.sampling.penalty_tokens = tokens;
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_logit_bias(
    mace_generation_options_t* options, int32_t id, float bias) {
  MACE_CAPI_NOT_NULL(options);
  options->options.sampling.logit_bias[id] = bias;
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_max_new_tokens(
    mace_generation_options_t* options, int32_t tokens) {
  MACE_CAPI_NOT_NULL(options);
  options->options.max_new_tokens = tokens;
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_add_stop(
    mace_generation_options_t* options, const char* text) {
  MACE_CAPI_NOT_NULL(options);
  MACE_CAPI_NOT_NULL(text);
  options->options.stop.emplace_back(text);
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_add_stop_token(
    mace_generation_options_t* options, int32_t id) {
  MACE_CAPI_NOT_NULL(options);
  options->options.stop_tokens.push_back(id);
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_ignore_stop_tokens(
    mace_generation_options_t* options, bool ignore) {
  MACE_CAPI_NOT_NULL(options);
  options->options.ignore_stop_tokens = ignore;
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_cancellation(
    mace_generation_options_t* options,
    const mace_cancellation_t* cancellation) {
  MACE_CAPI_NOT_NULL(options);
  options->options.deadline =
      cancellation == nullptr ? nullptr : &cancellation->cancellation;
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_on_text(
    mace_generation_options_t* options, mace_on_text_t on_text, void* user) {
  MACE_CAPI_NOT_NULL(options);
  options->options.on_text = nullptr;
  if (on_text != nullptr) {
    options->options.on_text = [on_text, user](const std::string& part) {
      return on_text(user, part.c_str(), part.size());
    };
  }
  return MACE_SUCCESS;
}

mace_status_t mace_generation_options_set_recommended(
    mace_generation_options_t* options, const mace_generator_t* generator) {
  MACE_CAPI_NOT_NULL(options);
  MACE_CAPI_NOT_NULL(generator);
  mace::MaceSampling& s = options->options.sampling;
  mace::MaceSampling recommended = generator->generator->recommended_sampling();
  recommended.seed = s.seed;
  recommended.penalty_tokens = s.penalty_tokens;
  recommended.logit_bias = std::move(s.logit_bias);
  s = std::move(recommended);
  return MACE_SUCCESS;
}

mace_status_t mace_generator_create(const mace_model_t* model,
                                    const mace_tokenizer_t* tokenizer,
                                    const mace_config_t* config,
                                    mace_generator_t** generator) {
  MACE_CAPI_NOT_NULL(generator);
  *generator = nullptr;
  MACE_CAPI_NOT_NULL(model);
  MACE_CAPI_NOT_NULL(tokenizer);
  MACE_CAPI_NOT_NULL(config);
  std::shared_ptr<MaceGenerator> made;
  MACE_CAPI_RETURN_IF_ERROR(capi::Report(MaceGenerator::Create(
      model->model, tokenizer->tokenizer, config->config, &made)));
  *generator = new (std::nothrow) mace_generator{std::move(made)};
  return capi::Made(*generator);
}

void mace_generator_destroy(mace_generator_t* generator) { delete generator; }

mace_status_t mace_generator_generate(mace_generator_t* generator,
                                      const char* prompt,
                                      const mace_generation_options_t* options,
                                      mace_generation_t** generation) {
  MACE_CAPI_NOT_NULL(generation);
  *generation = nullptr;
  MACE_CAPI_NOT_NULL(generator);
  MACE_CAPI_NOT_NULL(prompt);
  return capi::StoreGeneration(
      options, generation,
      [&](const mace::MaceGenerationOptions& o, mace::MaceGeneration* made) {
        return generator->generator->Generate(prompt, o, made);
      });
}

mace_status_t mace_generator_generate_from_tokens(
    mace_generator_t* generator, const int32_t* prompt, size_t count,
    const mace_generation_options_t* options, mace_generation_t** generation) {
  MACE_CAPI_NOT_NULL(generation);
  *generation = nullptr;
  MACE_CAPI_NOT_NULL(generator);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckArray(__func__, "prompt", prompt, count));
  const std::vector<int32_t> tokens(prompt, prompt + count);
  return capi::StoreGeneration(
      options, generation,
      [&](const mace::MaceGenerationOptions& o, mace::MaceGeneration* made) {
        return generator->generator->GenerateFromTokens(tokens, o, made);
      });
}

mace_status_t mace_generator_chat(mace_generator_t* generator,
                                  const char* const* roles,
                                  const char* const* contents, size_t count,
                                  const mace_generation_options_t* options,
                                  mace_generation_t** generation) {
  MACE_CAPI_NOT_NULL(generation);
  *generation = nullptr;
  MACE_CAPI_NOT_NULL(generator);
  std::vector<mace::MaceChatMessage> messages;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CopyMessages(__func__, roles, contents, count, &messages));
  return capi::StoreGeneration(
      options, generation,
      [&](const mace::MaceGenerationOptions& o, mace::MaceGeneration* made) {
        return generator->generator->Chat(messages, o, made);
      });
}

mace_status_t mace_generator_render_chat(const mace_generator_t* generator,
                                         const char* const* roles,
                                         const char* const* contents,
                                         size_t count, char** prompt) {
  MACE_CAPI_NOT_NULL(prompt);
  *prompt = nullptr;
  MACE_CAPI_NOT_NULL(generator);
  std::vector<mace::MaceChatMessage> messages;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CopyMessages(__func__, roles, contents, count, &messages));
  std::string rendered;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(generator->generator->RenderChat(messages, &rendered)));
  return capi::StoreText(rendered, prompt);
}

void mace_generation_destroy(mace_generation_t* generation) {
  delete generation;
}

const char* mace_generation_text(const mace_generation_t* generation) {
  MACE_CAPI_GETS(generation, nullptr);
  return generation->generation.text.c_str();
}

const int32_t* mace_generation_tokens(const mace_generation_t* generation,
                                      size_t* count) {
  MACE_CAPI_GETS(count, nullptr);
  *count = 0;
  MACE_CAPI_GETS(generation, nullptr);
  *count = generation->generation.tokens.size();
  return generation->generation.tokens.data();
}

mace_finish_reason_t mace_generation_finish_reason(
    const mace_generation_t* generation) {
  MACE_CAPI_GETS(generation, -1);
  return static_cast<mace_finish_reason_t>(
      generation->generation.finish_reason);
}

double mace_generation_stat(const mace_generation_t* generation,
                            mace_generation_stat_t stat) {
  MACE_CAPI_GETS(generation, 0);
  const mace::MaceGenerationStats& s = generation->generation.stats;
  const double values[] = {static_cast<double>(s.prompt_tokens),
                           static_cast<double>(s.reused_tokens),
                           static_cast<double>(s.new_tokens),
                           s.first_token_ms,
                           s.total_ms,
                           s.prompt_tokens_per_second,
                           s.new_tokens_per_second,
                           static_cast<double>(s.memory_bytes)};
  const bool known = stat >= 0 && static_cast<size_t>(stat) < std::size(values);
  return known ? values[stat] : 0;
}

mace_status_t mace_generator_perplexity(mace_generator_t* generator,
                                        const char* text, double* perplexity) {
  MACE_CAPI_NOT_NULL(perplexity);
  MACE_CAPI_NOT_NULL(generator);
  MACE_CAPI_NOT_NULL(text);
  return capi::Report(generator->generator->Perplexity(text, perplexity));
}

mace_status_t mace_generator_embed(mace_generator_t* generator,
                                   const char* text, const char* tensor,
                                   float** embedding, size_t* size) {
  MACE_CAPI_NOT_NULL(embedding);
  *embedding = nullptr;
  MACE_CAPI_NOT_NULL(size);
  *size = 0;
  MACE_CAPI_NOT_NULL(generator);
  MACE_CAPI_NOT_NULL(text);
  MACE_CAPI_NOT_NULL(tensor);
  std::vector<float> found;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(generator->generator->Embed(text, tensor, &found)));
  return capi::StoreArray(found, embedding, size);
}

mace_status_t mace_generator_reset(mace_generator_t* generator) {
  MACE_CAPI_NOT_NULL(generator);
  return capi::Report(generator->generator->Reset());
}

mace_status_t mace_generator_save(const mace_generator_t* generator,
                                  const char* file) {
  MACE_CAPI_NOT_NULL(generator);
  MACE_CAPI_NOT_NULL(file);
  return capi::Report(generator->generator->Save(file));
}

mace_status_t mace_generator_restore(mace_generator_t* generator,
                                     const char* file) {
  MACE_CAPI_NOT_NULL(generator);
  MACE_CAPI_NOT_NULL(file);
  return capi::Report(generator->generator->Restore(file));
}

mace_status_t mace_generator_tokens(const mace_generator_t* generator,
                                    int32_t** ids, size_t* count) {
  MACE_CAPI_NOT_NULL(ids);
  *ids = nullptr;
  MACE_CAPI_NOT_NULL(count);
  *count = 0;
  MACE_CAPI_NOT_NULL(generator);
  return capi::StoreArray(generator->generator->tokens(), ids, count);
}

int64_t mace_generator_context_length(const mace_generator_t* generator) {
  MACE_CAPI_GETS(generator, -1);
  return generator->generator->context_length();
}

}  // extern "C"
