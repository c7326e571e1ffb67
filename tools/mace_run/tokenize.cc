// --tokenize, through the public API.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/tokenize.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "mace/public/mace_tokenizer.h"

namespace mace::tools {
namespace {

// The text once more, token by token.
Result<std::string> Streamed(const std::shared_ptr<MaceTokenizer>& tokenizer,
                             const std::vector<int32_t>& ids) {
  MaceTokenStream stream(tokenizer);
  std::string text;
  for (const int32_t id : ids) MACE_RETURN_IF_ERROR(stream.Add(id, &text));
  MACE_RETURN_IF_ERROR(stream.Finish(&text));
  return text;
}

}  // namespace

Result<TextReader> TextReader::Open(const std::string& path) {
  TextReader reader;
  reader.path_ = path;
  reader.file_ =
      path == "-"
          ? decltype(file_)(stdin, [](std::FILE*) { return 0; })
          : decltype(file_)(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (reader.file_ == nullptr) {
    return InvalidArgument("cannot open '", path, "'");
  }
  return reader;
}

Result<bool> TextReader::Next(std::string* text) {
  if (file_ == nullptr) return false;
  text->clear();
  int c = 0;
  while ((c = std::getc(file_.get())) > 0) {
    text->push_back(static_cast<char>(c));
  }
  if (std::ferror(file_.get()) != 0) {
    return InvalidArgument("cannot read '", path_, "'");
  }
  if (c == EOF) file_.reset();
  return true;
}

Status PrintTokens(const std::string& tokenizer_file, const std::string& file,
                   bool plain) {
  std::shared_ptr<MaceTokenizer> tokenizer;
  MACE_RETURN_IF_ERROR(MaceTokenizer::Load(tokenizer_file, &tokenizer));
  MACE_ASSIGN_OR_RETURN(TextReader texts, TextReader::Open(file));
  MaceEncodeOptions options;
  options.add_special_tokens = options.parse_special_tokens = !plain;
  for (std::string source;;) {
    MACE_ASSIGN_OR_RETURN(const bool is_there, texts.Next(&source));
    if (!is_there) return Status();
    std::vector<int32_t> ids;
    MACE_RETURN_IF_ERROR(tokenizer->Encode(source, &ids, options));
    std::string text;
    MACE_RETURN_IF_ERROR(tokenizer->Decode(ids, &text));
    MACE_ASSIGN_OR_RETURN(const std::string streamed, Streamed(tokenizer, ids));
    MACE_ENSURE(streamed == text);
    const nlohmann::json line = {{"tokens", ids}, {"text", text}};
    // A token may end amid a character.
    std::printf("%s\n", line.dump(-1, ' ', false,
                                  nlohmann::json::error_handler_t::replace)
                            .c_str());
  }
}

}  // namespace mace::tools
