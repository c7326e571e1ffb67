// Tokenizers in C.
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "mace/capi/testing/c_test.h"

static mace_tokenizer_t* LoadTokenizer(void) {
  size_t bytes = 0;
  const void* file = TokenizerSample(&bytes);
  mace_tokenizer_t* tokenizer = NULL;
  EXPECT_OK(mace_tokenizer_load_memory(file, bytes, &tokenizer));
  return tokenizer;
}

static void TestTokens(const mace_tokenizer_t* tokenizer) {
  int32_t* ids = NULL;
  size_t count = 0;
  char* text = NULL;
  EXPECT_OK(
      mace_tokenizer_encode(tokenizer, "ab</s>", 6, true, true, &ids, &count));
  EXPECT(count == 2 && ids[0] == 258 && ids[1] == 257);
  EXPECT_OK(mace_tokenizer_decode(tokenizer, ids, count, false, &text));
  EXPECT(strcmp(text, "ab</s>") == 0);
  mace_free(text);
  EXPECT_OK(mace_tokenizer_decode(tokenizer, ids, count, true, &text));
  EXPECT(strcmp(text, "ab") == 0);
  mace_free(text);
  mace_free((char*)ids);
  EXPECT_OK(
      mace_tokenizer_encode(tokenizer, "<s>", 3, true, false, &ids, &count));
  EXPECT(count == 3 && ids[0] == '<');
  mace_free((char*)ids);
  EXPECT_OK(mace_tokenizer_encode(tokenizer, "", 0, true, true, &ids, &count));
  EXPECT(count == 0 && ids == NULL);
  EXPECT(mace_tokenizer_vocab_size(tokenizer) == 259);
  EXPECT(mace_tokenizer_find_token(tokenizer, "ab") == 258);
  EXPECT(mace_tokenizer_bos(tokenizer) == 256);
  EXPECT(mace_tokenizer_eos(tokenizer) == 257);
  EXPECT_OK(mace_tokenizer_property(tokenizer, "eos_token", &text));
  EXPECT(strcmp(text, "</s>") == 0);
  mace_free(text);
}

static void TestStream(const mace_tokenizer_t* tokenizer) {
  mace_token_stream_t* stream = NULL;
  char* text = NULL;
  EXPECT_OK(mace_token_stream_create(tokenizer, true, &stream));
  EXPECT_OK(mace_token_stream_add(stream, 0xc3, &text));
  EXPECT(strcmp(text, "") == 0);
  mace_free(text);
  EXPECT_OK(mace_token_stream_add(stream, 0xa9, &text));
  EXPECT(strcmp(text, "\xc3\xa9") == 0);
  mace_free(text);
  EXPECT_OK(mace_token_stream_finish(stream, &text));
  EXPECT(strcmp(text, "") == 0);
  mace_free(text);
  EXPECT(mace_token_stream_add(stream, 999, &text) == MACE_INVALID_ARGS);
  EXPECT(IsError(MACE_INVALID_ARGS, "999 is no token"));
  mace_token_stream_destroy(stream);
}

void TestTokenizer(void) {
  mace_tokenizer_t* tokenizer = LoadTokenizer();
  mace_tokenizer_t* none = NULL;
  int32_t ids[1] = {-1};
  char* text = NULL;
  TestTokens(tokenizer);
  TestStream(tokenizer);
  EXPECT(mace_tokenizer_decode(tokenizer, ids, 1, true, &text) ==
         MACE_INVALID_ARGS);
  EXPECT(mace_tokenizer_load("/nowhere", &none) == MACE_INVALID_ARGS);
  EXPECT(mace_tokenizer_load_memory("MACE", 4, &none) == MACE_INVALID_MODEL);
  EXPECT(none == NULL && IsError(MACE_INVALID_MODEL, "no tokenizer file"));
  EXPECT(mace_tokenizer_load(NULL, &none) == MACE_INVALID_ARGS);
  mace_tokenizer_destroy(tokenizer);
  mace_tokenizer_destroy(NULL);
  mace_token_stream_destroy(NULL);
}
