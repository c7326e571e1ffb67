// Generators in C.
// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mace/capi/testing/c_test.h"
#include "mace/public/mace_c_generator.h"

static mace_generator_t* MakeGenerator(void) {
  const SampleModel* s = AlphabetSample();
  size_t bytes = 0;
  const void* file = TokenizerSample(&bytes);
  mace_model_t* model = NULL;
  mace_tokenizer_t* tokenizer = NULL;
  mace_config_t* config = NULL;
  mace_generator_t* generator = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_tokenizer_load_memory(file, bytes, &tokenizer));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_OK(mace_generator_create(model, tokenizer, config, &generator));
  mace_config_destroy(config);
  mace_tokenizer_destroy(tokenizer);
  mace_model_destroy(model);
  return generator;
}

// Expects a text and why it ended, and destroys the generation.
static void ExpectText(mace_generation_t* made, const char* text,
                       mace_finish_reason_t reason) {
  EXPECT(strcmp(mace_generation_text(made), text) == 0);
  EXPECT(mace_generation_finish_reason(made) == reason);
  mace_generation_destroy(made);
}

typedef struct Streamed {
  char text[64];
  int parts, limit;
} Streamed;

static bool Append(void* user, const char* part, size_t bytes) {
  Streamed* s = (Streamed*)user;
  EXPECT(strlen(part) == bytes);
  strcat(s->text, part);
  return ++s->parts < s->limit;
}

static void TestTexts(mace_generator_t* g) {
  const char* roles[2] = {"user", "user"};
  const char* contents[2] = {"x", "w"};
  const int32_t prompt[2] = {'a', 'w'};
  mace_generation_t* made = NULL;
  size_t count = 0;
  const int32_t* tokens = NULL;
  char* text = NULL;
  EXPECT_OK(mace_generator_generate(g, "w", NULL, &made));
  tokens = mace_generation_tokens(made, &count);
  EXPECT(count == 4 && tokens[0] == 'x' && tokens[3] == 257);
  EXPECT(mace_generation_stat(made, MACE_STAT_PROMPT_TOKENS) == 1);
  EXPECT(mace_generation_stat(made, MACE_STAT_NEW_TOKENS) == 4);
  EXPECT(mace_generation_stat(made, MACE_STAT_FIRST_TOKEN_MS) > 0);
  EXPECT(mace_generation_stat(made, MACE_STAT_TOTAL_MS) > 0);
  EXPECT(mace_generation_stat(made, 99) == 0);
  ExpectText(made, "xyz", MACE_FINISH_STOP_TOKEN);
  EXPECT_OK(mace_generator_generate_from_tokens(g, prompt, 2, NULL, &made));
  ExpectText(made, "xyz", MACE_FINISH_STOP_TOKEN);
  EXPECT_OK(mace_generator_render_chat(g, roles, contents, 2, &text));
  EXPECT(strcmp(text, "uxuw") == 0);
  mace_free(text);
  EXPECT_OK(mace_generator_chat(g, roles, contents, 2, NULL, &made));
  ExpectText(made, "xyz", MACE_FINISH_STOP_TOKEN);
}

static void TestOptions(mace_generator_t* g) {
  mace_generation_options_t* o = NULL;
  mace_cancellation_t* cancellation = NULL;
  mace_generation_t* made = NULL;
  Streamed streamed = {"", 0, 99};
  EXPECT_OK(mace_generation_options_create(&o));
  EXPECT_OK(mace_generation_options_set_on_text(o, Append, &streamed));
  EXPECT_OK(mace_generation_options_set_max_new_tokens(o, 4));
  EXPECT_OK(mace_generator_generate(g, "f", o, &made));
  ExpectText(made, "ghij", MACE_FINISH_LENGTH);
  EXPECT(strcmp(streamed.text, "ghij") == 0);
  streamed.limit = streamed.parts + 2;
  EXPECT_OK(mace_generator_generate(g, "f", o, &made));
  ExpectText(made, "gh", MACE_FINISH_CALLBACK);
  EXPECT_OK(mace_generation_options_set_on_text(o, NULL, NULL));
  EXPECT_OK(mace_generation_options_add_stop(o, "hi"));
  EXPECT_OK(mace_generation_options_add_stop_token(o, 'q'));
  EXPECT_OK(mace_generator_generate(g, "f", o, &made));
  ExpectText(made, "g", MACE_FINISH_STOP_STRING);
  EXPECT_OK(mace_generator_generate(g, "o", o, &made));
  ExpectText(made, "p", MACE_FINISH_STOP_TOKEN);
  EXPECT_OK(mace_generation_options_set_logit_bias(o, 'k', 9));
  EXPECT_OK(mace_generator_generate(g, "c", o, &made));
  ExpectText(made, "kkkk", MACE_FINISH_LENGTH);
  EXPECT_OK(mace_generation_options_set_repetition_penalty(o, 3, 0));
  EXPECT_OK(mace_generator_generate(g, "c", o, &made));
  ExpectText(made, "klmn", MACE_FINISH_LENGTH);
  EXPECT_OK(mace_generation_options_set_ignore_stop_tokens(o, true));
  EXPECT_OK(mace_generation_options_set_sampling(o, 0, 0, 1, 0, 0));
  EXPECT_OK(mace_generator_generate(g, "z", o, &made));
  EXPECT(mace_generation_finish_reason(made) == MACE_FINISH_LENGTH);
  mace_generation_destroy(made);
  EXPECT_OK(mace_cancellation_create(&cancellation));
  EXPECT_OK(mace_generation_options_set_cancellation(o, cancellation));
  EXPECT_OK(mace_cancellation_cancel(cancellation));
  EXPECT_OK(mace_generator_generate(g, "c", o, &made));
  ExpectText(made, "", MACE_FINISH_CANCELLED);
  EXPECT_OK(mace_generation_options_set_cancellation(o, NULL));
  mace_cancellation_destroy(cancellation);
  EXPECT_OK(mace_generation_options_set_sampling(o, -1, 0, 1, 0, 0));
  EXPECT_BAD(mace_generator_generate(g, "c", o, &made), "temperature is -1");
  EXPECT(made == NULL);
  // With a top_k of 1 it is greedy at every temperature.
  EXPECT_OK(mace_generation_options_set_recommended(o, g));
  EXPECT_OK(mace_generator_generate(g, "c", o, &made));
  ExpectText(made, "kkkk", MACE_FINISH_LENGTH);
  mace_generation_options_destroy(o);
}

static void TestSequences(mace_generator_t* g) {
  mace_generator_t* other = MakeGenerator();
  mace_generation_t* made = NULL;
  char path[128];
  int32_t* ids = NULL;
  size_t count = 0;
  double perplexity = 0;
  float* embedding = NULL;
  snprintf(path, sizeof(path), "%s.sequence", AlphabetSample()->graph_file);
  EXPECT_OK(mace_generator_generate(g, "w", NULL, &made));
  mace_generation_destroy(made);
  EXPECT_OK(mace_generator_save(g, path));
  EXPECT_OK(mace_generator_tokens(other, &ids, &count));
  EXPECT(count == 0 && ids == NULL);
  EXPECT_OK(mace_generator_restore(other, path));
  EXPECT_OK(mace_generator_tokens(other, &ids, &count));
  EXPECT(count == 4 && ids[0] == 'w' && ids[3] == 'z');
  mace_free((char*)ids);
  EXPECT_OK(mace_generator_reset(other));
  EXPECT_OK(mace_generator_tokens(other, &ids, &count));
  EXPECT(count == 0 && ids == NULL);
  EXPECT_BAD(mace_generator_restore(other, "/nowhere"), "/nowhere");
  EXPECT(mace_generator_context_length(g) == -1);
  EXPECT_OK(mace_generator_perplexity(g, "cde", &perplexity));
  EXPECT(fabs(perplexity - (exp(5) + 258) / exp(5)) < 1e-5);
  EXPECT_OK(mace_generator_embed(g, "c", "logits", &embedding, &count));
  EXPECT(count == 259 && embedding['d'] == 1 && embedding['c'] == 0);
  mace_free((char*)embedding);
  EXPECT_BAD(mace_generator_embed(g, "c", "none", &embedding, &count), "none");
  EXPECT(embedding == NULL && count == 0);
  remove(path);
  mace_generator_destroy(other);
}

void TestGenerator(void) {
  mace_generator_t* g = MakeGenerator();
  mace_generation_t* made = NULL;
  size_t count = 0;
  TestTexts(g);
  TestOptions(g);
  TestSequences(g);
  EXPECT_BAD(mace_generator_generate(NULL, "a", NULL, &made), "generator");
  EXPECT_BAD(mace_generator_generate(g, NULL, NULL, &made), "prompt is null");
  EXPECT_BAD(mace_generator_chat(g, NULL, NULL, 1, NULL, &made), "roles");
  EXPECT_NOTHING(mace_generation_text(NULL), NULL, "generation");
  EXPECT_NOTHING(mace_generation_tokens(NULL, &count), NULL, "generation");
  EXPECT_NOTHING(mace_generator_context_length(NULL), -1, "generator");
  mace_generator_destroy(g);
  mace_generator_destroy(NULL);
  mace_generation_destroy(NULL);
  mace_generation_options_destroy(NULL);
}
