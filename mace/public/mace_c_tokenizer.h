// Text to the tokens of a language model, and back.
// SPDX-License-Identifier: Apache-2.0
//
// mace/public/mace_tokenizer.h describes what these functions do. Text is UTF-8
// and ends with 0; tokens may also stand for bytes that are 0, and then C sees
// the text before them. Strings and arrays that a function stores are given
// back with mace_free.
#ifndef MACE_PUBLIC_MACE_C_TOKENIZER_H_
#define MACE_PUBLIC_MACE_C_TOKENIZER_H_

#include "mace/public/mace_c_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mace_tokenizer mace_tokenizer_t;
typedef struct mace_token_stream mace_token_stream_t;

// Load a tokenizer: map the file that `converter.py tokenizer` made, or copy
// its `bytes` bytes from `data`. Threads: any.
MACE_API mace_status_t mace_tokenizer_load(const char* file,
                                           mace_tokenizer_t** tokenizer);
MACE_API mace_status_t mace_tokenizer_load_memory(const void* data,
                                                  size_t bytes,
                                                  mace_tokenizer_t** tokenizer);
// Null does nothing. Generators and streams of the tokenizer stay usable.
// Threads: any, once no other call uses `tokenizer`.
MACE_API void mace_tokenizer_destroy(mace_tokenizer_t* tokenizer);

// Stores the tokens of the `bytes` bytes at `text`, which may be null if
// `bytes` is 0, in `*ids` (null if there are none) and their number in
// `*count`. The caller gives (char*)*ids back with mace_free. Threads: any.
MACE_API mace_status_t mace_tokenizer_encode(const mace_tokenizer_t* tokenizer,
                                             const char* text, size_t bytes,
                                             bool add_special_tokens,
                                             bool parse_special_tokens,
                                             int32_t** ids, size_t* count);
// Stores the text of `count` tokens. Threads: any.
MACE_API mace_status_t mace_tokenizer_decode(const mace_tokenizer_t* tokenizer,
                                             const int32_t* ids, size_t count,
                                             bool skip_special_tokens,
                                             char** text);

// Returns the number of tokens: they are the numbers below it. 0 for null.
// Threads: any.
MACE_API int32_t mace_tokenizer_vocab_size(const mace_tokenizer_t* tokenizer);
// The token with this text, or -1: there is none, which leaves no message, or
// an argument is null.
MACE_API int32_t mace_tokenizer_find_token(const mace_tokenizer_t* tokenizer,
                                           const char* text);
// The token of this use, or -1: there is none, which leaves no message, or
// `tokenizer` is null.
MACE_API int32_t mace_tokenizer_bos(const mace_tokenizer_t* tokenizer);
MACE_API int32_t mace_tokenizer_eos(const mace_tokenizer_t* tokenizer);
// Stores the text that the converter stored under this name, "" if there is
// none. Threads: any.
MACE_API mace_status_t mace_tokenizer_property(
    const mace_tokenizer_t* tokenizer, const char* name, char** value);

// The text of tokens that arrive one by one. The tokenizer may be destroyed
// before the stream. Threads: any; one at a time for `stream`.
MACE_API mace_status_t mace_token_stream_create(
    const mace_tokenizer_t* tokenizer, bool skip_special_tokens,
    mace_token_stream_t** stream);
MACE_API void mace_token_stream_destroy(mace_token_stream_t* stream);
// Stores the text that is known now, whole characters only, which may be "".
MACE_API mace_status_t mace_token_stream_add(mace_token_stream_t* stream,
                                             int32_t id, char** text);
// Stores "", or U+FFFD if the last character is incomplete (one for each of its
// bytes, unless the tokenizer is byte-level BPE). Then a new text begins.
MACE_API mace_status_t mace_token_stream_finish(mace_token_stream_t* stream,
                                                char** text);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_TOKENIZER_H_
