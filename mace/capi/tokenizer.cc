// Tokenizers in C.
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "mace/capi/language.h"
#include "mace/public/mace_c_tokenizer.h"

struct mace_token_stream {
  mace_token_stream(std::shared_ptr<mace::MaceTokenizer> tokenizer, bool skip)
      : stream(std::move(tokenizer), skip) {}
  mace::MaceTokenStream stream;
};

namespace mace::capi {

mace_status_t StoreBytes(const void* data, size_t bytes, void** stored) {
  char* copy = static_cast<char*>(std::malloc(bytes + 1));
  *stored = copy;
  if (copy == nullptr) return Made(nullptr);
  if (bytes > 0) std::memcpy(copy, data, bytes);
  copy[bytes] = 0;
  return MACE_SUCCESS;
}

namespace {

mace_status_t StoreTokenizer(const MaceStatus& status,
                             std::shared_ptr<MaceTokenizer> loaded,
                             mace_tokenizer_t** tokenizer) {
  MACE_CAPI_RETURN_IF_ERROR(Report(status));
  *tokenizer = new (std::nothrow) mace_tokenizer{std::move(loaded)};
  return Made(*tokenizer);
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;
using mace::MaceTokenizer;

extern "C" {

mace_status_t mace_tokenizer_load(const char* file,
                                  mace_tokenizer_t** tokenizer) {
  MACE_CAPI_NOT_NULL(tokenizer);
  *tokenizer = nullptr;
  MACE_CAPI_NOT_NULL(file);
  std::shared_ptr<MaceTokenizer> loaded;
  const mace::MaceStatus status = MaceTokenizer::Load(file, &loaded);
  return capi::StoreTokenizer(status, std::move(loaded), tokenizer);
}

mace_status_t mace_tokenizer_load_memory(const void* data, size_t bytes,
                                         mace_tokenizer_t** tokenizer) {
  MACE_CAPI_NOT_NULL(tokenizer);
  *tokenizer = nullptr;
  MACE_CAPI_NOT_NULL(data);
  std::shared_ptr<MaceTokenizer> loaded;
  const mace::MaceStatus status = MaceTokenizer::Load(
      static_cast<const unsigned char*>(data), bytes, &loaded);
  return capi::StoreTokenizer(status, std::move(loaded), tokenizer);
}

void mace_tokenizer_destroy(mace_tokenizer_t* tokenizer) { delete tokenizer; }

mace_status_t mace_tokenizer_encode(const mace_tokenizer_t* tokenizer,
                                    const char* text, size_t bytes,
                                    bool add_special_tokens,
                                    bool parse_special_tokens, int32_t** ids,
                                    size_t* count) {
  MACE_CAPI_NOT_NULL(ids);
  *ids = nullptr;
  MACE_CAPI_NOT_NULL(count);
  *count = 0;
  MACE_CAPI_NOT_NULL(tokenizer);
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckArray(__func__, "text", text, bytes));
  mace::MaceEncodeOptions options;
  options.add_special_tokens = add_special_tokens;
  options.parse_special_tokens = parse_special_tokens;
  std::vector<int32_t> found;
  const std::string given =
      bytes == 0 ? std::string() : std::string(text, bytes);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(tokenizer->tokenizer->Encode(given, &found, options)));
  return capi::StoreArray(found, ids, count);
}

mace_status_t mace_tokenizer_decode(const mace_tokenizer_t* tokenizer,
                                    const int32_t* ids, size_t count,
                                    bool skip_special_tokens, char** text) {
  MACE_CAPI_NOT_NULL(text);
  *text = nullptr;
  MACE_CAPI_NOT_NULL(tokenizer);
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckArray(__func__, "ids", ids, count));
  std::string decoded;
  MACE_CAPI_RETURN_IF_ERROR(capi::Report(tokenizer->tokenizer->Decode(
      std::vector<int32_t>(ids, ids + count), &decoded, skip_special_tokens)));
  return capi::StoreText(decoded, text);
}

int32_t mace_tokenizer_vocab_size(const mace_tokenizer_t* tokenizer) {
  MACE_CAPI_GETS(tokenizer, 0);
  return tokenizer->tokenizer->vocab_size();
}

int32_t mace_tokenizer_find_token(const mace_tokenizer_t* tokenizer,
                                  const char* text) {
  MACE_CAPI_GETS(tokenizer, -1);
  MACE_CAPI_GETS(text, -1);
  return tokenizer->tokenizer->FindToken(text);
}

int32_t mace_tokenizer_bos(const mace_tokenizer_t* tokenizer) {
  MACE_CAPI_GETS(tokenizer, -1);
  return tokenizer->tokenizer->bos();
}

int32_t mace_tokenizer_eos(const mace_tokenizer_t* tokenizer) {
  MACE_CAPI_GETS(tokenizer, -1);
  return tokenizer->tokenizer->eos();
}

mace_status_t mace_tokenizer_property(const mace_tokenizer_t* tokenizer,
                                      const char* name, char** value) {
  MACE_CAPI_NOT_NULL(value);
  *value = nullptr;
  MACE_CAPI_NOT_NULL(tokenizer);
  MACE_CAPI_NOT_NULL(name);
  return capi::StoreText(tokenizer->tokenizer->property(name), value);
}

mace_status_t mace_token_stream_create(const mace_tokenizer_t* tokenizer,
                                       bool skip_special_tokens,
                                       mace_token_stream_t** stream) {
  MACE_CAPI_NOT_NULL(stream);
  *stream = nullptr;
  MACE_CAPI_NOT_NULL(tokenizer);
  *stream = new (std::nothrow)
      mace_token_stream(tokenizer->tokenizer, skip_special_tokens);
  return capi::Made(*stream);
}

void mace_token_stream_destroy(mace_token_stream_t* stream) { delete stream; }

mace_status_t mace_token_stream_add(mace_token_stream_t* stream, int32_t id,
                                    char** text) {
  MACE_CAPI_NOT_NULL(text);
  *text = nullptr;
  MACE_CAPI_NOT_NULL(stream);
  std::string part;
  MACE_CAPI_RETURN_IF_ERROR(capi::Report(stream->stream.Add(id, &part)));
  return capi::StoreText(part, text);
}

mace_status_t mace_token_stream_finish(mace_token_stream_t* stream,
                                       char** text) {
  MACE_CAPI_NOT_NULL(text);
  *text = nullptr;
  MACE_CAPI_NOT_NULL(stream);
  std::string part;
  MACE_CAPI_RETURN_IF_ERROR(capi::Report(stream->stream.Finish(&part)));
  return capi::StoreText(part, text);
}

}  // extern "C"
