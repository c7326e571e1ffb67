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

Result<std::string> ReadTexts(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return InvalidArgument("cannot open '", path, "'");
  std::string texts;
  char buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    texts.append(buffer, n);
  }
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  if (failed) return InvalidArgument("cannot read '", path, "'");
  return texts;
}

Status PrintTokens(const std::string& tokenizer_file, const std::string& file,
                   bool plain) {
  std::shared_ptr<MaceTokenizer> tokenizer;
  MACE_RETURN_IF_ERROR(MaceTokenizer::Load(tokenizer_file, &tokenizer));
  MACE_ASSIGN_OR_RETURN(const std::string texts, ReadTexts(file));
  MaceEncodeOptions options;
  options.add_special_tokens = options.parse_special_tokens = !plain;
  for (size_t begin = 0; begin <= texts.size();) {
    const size_t end = std::min(texts.find('\0', begin), texts.size());
    std::vector<int32_t> ids;
    MACE_RETURN_IF_ERROR(
        tokenizer->Encode(texts.substr(begin, end - begin), &ids, options));
    std::string text;
    MACE_RETURN_IF_ERROR(tokenizer->Decode(ids, &text));
    MACE_ASSIGN_OR_RETURN(const std::string streamed, Streamed(tokenizer, ids));
    MACE_ENSURE(streamed == text);
    const nlohmann::json line = {{"tokens", ids}, {"text", text}};
    std::printf("%s\n", line.dump().c_str());
    begin = end + 1;
  }
  return Status();
}

}  // namespace mace::tools
